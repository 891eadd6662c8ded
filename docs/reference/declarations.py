"""Declarations of headers without what a reader of the reference does not need, and with as many lines."""

import re

import prose

INTERNAL = re.compile(r"^namespace [\w:]*detail[\w:]* \{$")
END_OF_INTERNAL = re.compile(r"^\}  // namespace [\w:]*detail")
# Of a parameter of a template, such as detail::WritableArrayFrom<Exec> Out.
CONSTRAINED = re.compile(r"^(\s*)detail::[\w:]+(?:<.*>)?\s+([A-Z]\w*)(.*)$", re.DOTALL)
INTERNAL_DEFAULT = re.compile(r"=\s*(?:typename )?detail::.*", re.DOTALL)
INTERNAL_BASE = re.compile(r"\s*: public detail::[^{]*(?=\{)")
INTERNAL_NAME = re.compile(r"\busing detail::[\w:]+;")
INTERNAL_TYPE = re.compile(r"(?:typename )?detail::[\w:]+")
# A function that only explains to a compiler's user why a call does not compile: its parameters have no names.
REFUSAL = re.compile(r"\s*void \w+\((?:\w+ const&,?\s*)+\) (?=\{)")
# A definition of a member after its class, which has declared and explained it.
DEFINED_AFTER_CLASS = re.compile(r"\s*(?:template\s*<[^;{}]*>\s*)?[^;{}()=]*\b[A-Z]\w*<[\w, .]*>::\w+\([^;{}]*(?=\{)")
DELETED = re.compile(r"\s*\w+ \w+\([^;{}]*\)\s*= delete;")
DEDUCTION_GUIDE = re.compile(r"\s*[A-Z]\w*\([^;{}]*\)\s*->[^;{}]*;")


def without_internal(lines):
    """Lines in a namespace detail are left empty."""
    kept = []
    inside = False
    for line in lines:
        inside = inside or INTERNAL.match(line) is not None
        kept.append("" if inside else line)
        inside = inside and not END_OF_INTERNAL.match(line)
    return kept


def without_private(lines):
    """Private parts of classes are left empty; they end where the class does, as clang-format indents."""
    kept = []
    end = None
    for line in lines:
        if end and line.startswith(end):
            end = None
        begin = re.match(r"^( *) private:$", line)
        if begin and not end:
            end = (begin[1] + "};", begin[1] + " public:")
        kept.append("" if end else line)
    return kept


def declares_something(lines):
    return any(re.match(r"^(template|class|struct|enum|using|inline|constexpr|concept|[\w:<>]+ \w+\()", line) for line in lines)


def end_of_brackets(text, begin):
    """The position after the bracket that closes the one at `begin`; others do not count."""
    opening, closing = text[begin], {"<": ">", "(": ")", "{": "}"}[text[begin]]
    depth = 0
    for i in range(begin, len(text)):
        if text[i] == opening:
            depth += 1
        elif text[i] == closing and text[i - 1] not in "-=":
            depth -= 1
            if depth == 0:
                return i + 1
    raise ValueError(f"no {closing} closes: {text[begin:begin + 80]}")


def end_of_type(text, begin):
    """The position after the arguments of a template and a member's name, if any, which follow a name."""
    while begin < len(text) and text[begin] == "<":
        begin = end_of_brackets(text, begin)
        begin += len(re.match(r"(::\w+)*", text[begin:])[0])
    return begin


def end_of_clause(text, begin):
    """The position after a requires clause: operands in parentheses, or names with arguments, between && and ||."""
    while True:
        begin += len(re.match(r"\s*", text[begin:])[0])
        if text[begin] == "(":
            begin = end_of_brackets(text, begin)
        else:
            begin = end_of_type(text, begin + len(re.match(r"!?[\w:]+", text[begin:])[0]))
        more = re.match(r"\s*(&&|\|\|)", text[begin:])
        if not more:
            return begin
        begin += more.end()


def parameters(text):
    """The parameters of a template, which commas separate."""
    begin = depth = 0
    for i, c in enumerate(text):
        depth += (c in "<(") - (c in ")" or c == ">" and text[i - 1] not in "-=")
        if c == "," and depth == 0:
            yield text[begin:i]
            begin = i + 1
    yield text[begin:]


def simplified_parameter(parameter):
    constrained = CONSTRAINED.match(parameter)
    if constrained:
        lines = parameter.count("\n") - sum(group.count("\n") for group in constrained.groups())
        parameter = constrained[1] + "\n" * lines + "class " + constrained[2] + constrained[3]
    return INTERNAL_DEFAULT.sub(lambda match: "= see_below" + "\n" * match[0].count("\n"), parameter)


def end_of_what_is_left_out(text, begin):
    """The position after a declaration that says nothing to a reader and follows the head of its template; None for any other."""
    guide = DEDUCTION_GUIDE.match(text, begin) or DELETED.match(text, begin)
    if guide:
        return guide.end()
    function = REFUSAL.match(text, begin) or DEFINED_AFTER_CLASS.match(text, begin)
    return end_of_brackets(text, function.end()) if function else None


def simplified_templates(text):
    """Without constraints, and without templates that are only for compilers."""
    written = ""
    while True:
        found = re.search(r"\btemplate\s*<", text)
        if not found:
            return written + text
        end = end_of_brackets(text, found.end() - 1)
        head = "template <" + ",".join(map(simplified_parameter, parameters(text[found.end():end - 1]))) + ">"
        clause = re.match(r"\s*requires\b", text[end:])
        if clause:
            begin, end = end, end_of_clause(text, end + clause.end())
            head += "\n" * text[begin:end].count("\n")
        left_out = end_of_what_is_left_out(text, end)
        if left_out:
            head, end = "\n" * text[found.start():left_out].count("\n"), left_out
        written += text[:found.start()] + head
        text = text[end:]


def without_internal_types(text):
    """Types in namespace detail are `see_below`, as in the standard's own declarations."""
    text = INTERNAL_NAME.sub("", INTERNAL_BASE.sub(" ", text)).replace("[[maybe_unused]] ", "")
    written = ""
    while True:
        found = INTERNAL_TYPE.search(text)
        if not found:
            return written + text
        end = end_of_type(text, found.end())
        written += text[:found.start()] + "see_below" + "\n" * text[found.start():end].count("\n")
        text = text[end:]


def simplified(lines):
    """Comments are translated for Doxygen, and declarations between them are simplified."""
    written = []
    run = []
    for line in [*lines, None]:
        is_comment = line is not None and line.lstrip().startswith("///")
        if run and (line is None or is_comment != run[0].lstrip().startswith("///")):
            if run[0].lstrip().startswith("///"):
                written += prose.typeset(run)
            else:
                written += without_internal_types(simplified_templates("\n".join(run))).split("\n")
            run = []
        run.append(line)
    return written
