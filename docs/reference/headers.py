"""Headers as Doxygen is to read them: what is public, in the group of its room, line for line.

The headers are written for those who read them, and hold no commands of Doxygen. A view of one

  - gives the first comment to the file or, of a door, to its group, and what follows to the group of the room;
  - leaves out what lies in a namespace `detail`, and what only says which calls compile (declarations.py);
  - sets comments in the type of a page (prose.py).
"""

import re

import declarations
import prose
from groups import group_of, is_door

NAMESPACE = re.compile(r"^(namespace riffle[a-z:]* \{)$")
END_OF_NAMESPACE = re.compile(r"^(\}  // namespace riffle)")


def first_comment(lines):
    """Where it ends; it begins in the third line, behind `#pragma once` and an empty one."""
    end = 2
    while end < len(lines) and re.match(r"//(?!/)", lines[end]):
        end += 1
    return end


def with_first_comment(lines, name, group):
    """The first comment becomes the text of the file, or of the group whose door this is."""
    end = first_comment(lines)
    text = prose.typeset(prose.as_documentation(lines[2:end])) if end > 2 else []
    if is_door(name):
        head = [f"/** \\file {name}", f"\\brief The door of \\ref {group}. \\ingroup {group} */ /** \\addtogroup {group}", "\\details"]
    else:
        head = [f"/** \\file {name}", f"\\ingroup {group}"]
    head += [line.removeprefix("///").removeprefix(" ") for line in text]
    head[-1] += " */"
    return head + lines[end:]


def with_group(lines, group):
    """What lies in a namespace belongs to the group."""
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
    if not group or not (declarations.declares_something(lines) or is_door(name)):
        return ""
    end = first_comment(lines)
    lines = with_first_comment(lines[:end] + declarations.simplified(lines[end:]), name, group)
    return "\n".join(with_group(lines, group))
