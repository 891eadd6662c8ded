"""Pages of Markdown as Doxygen is to read them, with links that lead to where things are in the reference.

Links between pages and to their headings, to examples, to images and to headers lead to files of the repository, as
GitHub and GitLab show them. Here they lead to the pages that are made of these.
"""

import pathlib
import re
import runpy

from groups import group_of, is_public_header

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
CODE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#+) (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
TEXT_OF_LINK = re.compile(r"\[([^\]]+)\](?=\(@ref )")
CODE_SPAN = re.compile(r"`([^`]+)`")
HEADER = re.compile(r"`(riffle/[\w/]+\.hpp)`")
LINKED_HEADER = re.compile(r"\[(`riffle/[\w/]+\.hpp`)\]\([^)\s]*/include/riffle/[^)\s]*\)")

anchor_of = runpy.run_path(str(ROOT / "tools/check-links"))["anchor_of"]


def id_of(page, anchor=""):
    """Doxygen's name of a page, or of a heading in it."""
    name = "_".join(page.relative_to(ROOT).with_suffix("").parts).lower()
    return f"{name}-{anchor}" if anchor else name


def with_names(text, page):
    """The page's title names the page, other headings places in it."""

    def named(match):
        anchor = "" if match[1] == "#" else anchor_of(match[2])
        return f"{match[0]} {{#{id_of(page, anchor)}}}"

    return HEADING.sub(named, text)


def target_of(link, page):
    """What Doxygen is given for a link."""
    if re.match(r"[a-z]+:", link):
        return link
    name, _, anchor = link.partition("#")
    file = (page.parent / name).resolve() if name else page
    if file.suffix == ".md":
        return f"@ref {id_of(file, anchor)}"
    if file.suffix == ".svg":
        return file.name
    if file == EXAMPLES / "short":
        return "examples.html"
    if file.is_relative_to(EXAMPLES):
        return f"@ref {file.relative_to(EXAMPLES)}"
    return link


def with_targets(text, page):
    """Links to pages have no code as their text: Doxygen would show the backquotes."""
    text = LINK.sub(lambda match: f"]({target_of(match[1], page)})", text)
    return TEXT_OF_LINK.sub(lambda match: f"[{match[1].replace('`', '')}]", text)


def with_code_spans(text):
    """A single quote would end code between single backquotes, so such code gets two of them."""
    return CODE_SPAN.sub(lambda match: f"``{match[1]}``" if "'" in match[1] else match[0], text)


def with_headers(text, headers):
    """A public header that is named leads to its documentation, a module's to its group; so does a link to its file."""

    def linked(match):
        name = match[1]
        if name not in headers:
            return match[0]
        return f"[{name}](@ref {group_of(name) if is_public_header(name) else name})"

    return HEADER.sub(linked, LINKED_HEADER.sub(r"\1", text))


def view(page, headers):
    """A page's text as Doxygen is to read it, by the names of the public headers."""
    parts = CODE.split(page.read_text())
    parts[::2] = [
        with_headers(with_code_spans(with_targets(with_names(part, page), page)), headers) for part in parts[::2]
    ]
    return "".join(parts)
