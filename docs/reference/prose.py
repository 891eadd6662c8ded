"""Comments of headers, which are plain text, as the Markdown that Doxygen sets a page from."""

import re

COMMENT = re.compile(r"^(\s*///) ?(.*)$")
# After these a full stop does not end a sentence: an initial, or an abbreviation.
CUT_SHORT = re.compile(r"\b([A-Z]|al|cf|sec|vol|Inf|Model|Proc|Symp|Syst|Trans)$")
LISTED_FILES = re.compile(r"^ {2,}([\w/]+(?:\.hpp|/)(?:, [\w/]+\.hpp)*)(?:[,;]? {2,}(.*))?$")
LISTED_NAMES = re.compile(r"^(\s*- )([a-z]\w*(?:, [a-z]\w*)*):")
REFERENCE = re.compile(r"^(\[\d+\] [A-Z])")

FORMULAS = [
    (re.compile(r"<(?=\S)(?!=)"), "&lt;"),
    (re.compile(r"@"), r"\\@"),
    (re.compile(r"(?<=>)::"), r"\\::"),
    (re.compile(r"\.\.\."), "…"),
    (re.compile(r"<="), "≤"),
    (re.compile(r">="), "≥"),
    (re.compile(r"\bsqrt\("), "√("),
    (re.compile(r"(?<=[\w)])\^(?:\(([^()]*)\)|(-?\w+))"), r"<sup>\1\2</sup>"),
    (re.compile(r"\blog2 "), "log<sub>2</sub> "),
    (re.compile(r"\b([DEG])_(\w+)\b"), r"\1<sub>\2</sub>"),
]


def with_formulas(text):
    """Powers, indices and relations as they are printed; not in code, which stands between backticks."""
    parts = text.split("`")
    for i in range(0, len(parts), 2):
        for pattern, printed in FORMULAS:
            parts[i] = pattern.sub(printed, parts[i])
    return "`".join(parts)


def with_full_stops(text, next_text):
    """Adds a backslash after each full stop that does not end a sentence, because Doxygen would end the brief description there."""

    def stop(match):
        after = text[match.end():].lstrip() or next_text
        if after and (after[0].islower() or after[0].isdigit() or CUT_SHORT.search(text[:match.start()])):
            return ".\\ "
        return match.group(0)

    return re.sub(r"\.( |$)", stop, text)


def is_code(texts, i):
    """Whether a line belongs to a block that is indented by four, after an empty line."""
    while i > 0 and texts[i].startswith("    "):
        i -= 1
    return not texts[i] and i + 1 < len(texts) and texts[i + 1].startswith("    ")


def typeset_line(text, next_text):
    text = LISTED_NAMES.sub(lambda match: match[1] + re.sub(r"(\w+)", r"`\1`", match[2]) + ":", text)
    text = re.sub(r"^(?=[>+*] )", r"\\", text)  # no quotation, and no list
    return REFERENCE.sub(r"- \1", with_full_stops(with_formulas(text), next_text))


def typeset(lines):
    """The lines of one comment, which begin with ///. The empty lines around code become commands."""
    marks, texts = zip(*(COMMENT.match(line).groups() for line in lines))
    code = [text.startswith("    ") and is_code(texts, i) for i, text in enumerate(texts)]
    written = []
    for i, text in enumerate(texts):
        if not text and code[i + 1:i + 2] == [True]:
            text = "\\code{.cpp}"
        elif not text and code[i - 1:i] == [True]:
            text = "\\endcode"
        elif not code[i]:
            text = typeset_line(text, texts[i + 1].strip() if i + 1 < len(texts) else "")
        elif i + 1 == len(texts):
            text += " \\endcode"
        written.append(f"{marks[i]} {text}")
    return written


def example_in(texts, begin):
    """Where the indented block that begins after an empty line ends, if it is code; else None."""
    if not texts[begin].startswith("  ") or begin == 0 or texts[begin - 1]:
        return None
    end = next((i for i in range(begin, len(texts)) if not texts[i]), len(texts))
    return end if any(re.search(r";( *//.*)?$", text) for text in texts[begin:end]) else None


def as_documentation(lines):
    """A header's first comment, of lines that begin with //: its lists of headers and its examples are indented."""
    texts = [line[2:].removeprefix(" ") for line in lines]
    written = []
    is_listed = False
    while len(written) < len(texts):
        text = texts[len(written)]
        end = example_in(texts, len(written))
        item = listed(text)
        if end is not None:
            written += [f"///   {code}" for code in texts[len(written):end]]
        elif is_listed and text and not text.startswith(" "):
            written.append(f"///\n/// {text}")  # the list has ended
        else:
            indentation = "  " if is_listed and not item else ""
            written.append(f"/// {indentation}{item or text.strip()}".rstrip())
        is_listed = bool(item) or is_listed and text.startswith(" ")
    return "\n".join(written).split("\n")


def listed(text):
    """An item of a list, if the text is one."""
    found = LISTED_FILES.match(text)
    if found:
        return f"- {found[1]}: {found[2] or ''}"
    return text.strip() if text.startswith("  - ") else ""
