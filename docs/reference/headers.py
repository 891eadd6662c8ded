"""Headers as Doxygen is to read them: what is public, in the group of its module, line for line.

The headers contain no commands of Doxygen, so that they read well by themselves. The view of a header

  - makes the first comment the text of the file, or of the group if it is the public header of a module;
  - puts all declarations into the group of the module;
  - omits namespaces `detail` and declarations that only say which calls compile (declarations.py);
  - translates comments to Markdown (prose.py).
"""

import re

import declarations
import prose
from groups import group_of, is_public_header

NAMESPACE = re.compile(r"^(namespace riffle[a-z:]* \{)$")
END_OF_NAMESPACE = re.compile(r"^(\}  // namespace riffle)")


def first_comment(lines):
    """The line after the first comment, which begins in the third line, after `#pragma once` and an empty line."""
    end = 2
    while end < len(lines) and re.match(r"//(?!/)", lines[end]):
        end += 1
    return end


def with_first_comment(lines, name, group):
    """The first comment becomes the text of the file, or of the group if this is the public header of a module."""
    end = first_comment(lines)
    text = prose.typeset(prose.as_documentation(lines[2:end])) if end > 2 else []
    if is_public_header(name):
        head = [f"/** \\file {name}", f"\\brief Public header that declares all calls of \\ref {group}. \\ingroup {group} */ /** \\addtogroup {group}", "\\details"]
    else:
        head = [f"/** \\file {name}", f"\\ingroup {group}"]
    head += [line.removeprefix("///").removeprefix(" ") for line in text]
    head[-1] += " */"
    return head + lines[end:]


def with_group(lines, group):
    """Declarations in a namespace belong to the group."""
    opened = False
    grouped = []
    for line in lines:
        if opened:
            line = f"@{{ */ {line}"
        opened = NAMESPACE.match(line) is not None
        if opened:
            line += f" /** \\addtogroup {group}"
        grouped.append(END_OF_NAMESPACE.sub(r"/** @} */ \1", line))
    return grouped


def view(text, name):
    """A header's text as Doxygen is to read it, by its name as it is included; "" where nothing in it is public."""
    group = group_of(name)
    lines = declarations.without_private(declarations.without_internal(text.split("\n")))
    if not group or not (declarations.declares_something(lines) or is_public_header(name)):
        return ""
    end = first_comment(lines)
    lines = with_first_comment(lines[:end] + declarations.simplified(lines[end:]), name, group)
    return "\n".join(with_group(lines, group))
