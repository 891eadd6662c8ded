#!/usr/bin/env -S python3 -B
"""Corrects links of qualified names, and links names in the code of pages to their contracts.

usage: docs/reference/links.py FOLDER

In code, Doxygen links riffle::sort to the first function of that name that it read, riffle::mpi::sort for example.
It does not link names between backquotes: on the pages of Markdown, `sort_by_key` and `sort_by_key(exec, ...)` lead
to the contract of riffle::sort_by_key. A narrow table may break such a name after an underscore.
"""

import html
import pathlib
import re
import sys
import xml.etree.ElementTree

LINK = re.compile(r'(<a class="[^"]*" href=")([\w.]+#\w+)("[^>]*>)([^<]*::[^<]*)(?=</a>)')


# A name alone, or with arguments: sort, sort(exec, keys), Ascending{}, RowPermutation plan(exec, p). It is another
# library's in "SciPy's permutation_test".
CODE = re.compile(r"(?<!'s )<code>((?:mpi::|uniformity::)?\w+)((?:[({]| \w+\()[^<]*)?</code>")
# Text in which no link is added: headings, and text that has a link.
UNLINKED = re.compile(r"(<a .*?</a>|<h\d.*?</h\d>)", re.DOTALL)
# This page has names of other libraries in code.
NAMES_OF_OTHERS = {"docs_migrating.html"}


def members(folder):
    """The qualified names of functions and other members by their places: group__sort.html#ga0123."""
    found = {}
    for file in sorted((folder / "xml").glob("*.xml")):
        for member in xml.etree.ElementTree.parse(file).iter("memberdef"):
            page, _, anchor = member.get("id").rpartition("_1")
            found[f"{page}.html#{anchor}"] = member.findtext("qualifiedname") or member.findtext("name")
    return found


def place_of(name, named, members):
    """Where a link that names a member must lead, if it leads to another: to the first that is called so."""
    if named is None or f"::{named}".endswith(f"::{name}"):
        return None
    return next((place for place, other in members.items() if f"::{other}".endswith(f"::{name}")), None)


def name_of(text):
    return re.sub(r"\(.*", "", html.unescape(text)).strip()


def misleading(text, members):
    """Pairs of a place and of the name that leads there, of which another is called so."""
    for _, place, _, named in LINK.findall(text):
        if place_of(name_of(named), members.get(place), members):
            yield place, name_of(named)


def corrected(text, members):
    def link(match):
        place = place_of(name_of(match[4]), members.get(match[2]), members)
        return f"{match[1]}{place or match[2]}{match[3]}{match[4]}"

    return LINK.sub(link, text)


def places(folder, members):
    """The places of public classes and functions by their names in namespace riffle; overloads have the first place."""
    index = xml.etree.ElementTree.parse(folder / "xml/index.xml")
    found = {compound.findtext("name").removeprefix("riffle::"): f"{compound.get('refid')}.html"
             for compound in index.findall("compound") if compound.get("kind") in {"class", "struct"}}
    for place, name in members.items():
        if place.startswith("group__"):
            found.setdefault(name.removeprefix("riffle::"), place)
    return found


def places_in(namespace, places):
    """The places by the names that code in this namespace sees."""
    return places | {name.removeprefix(f"{namespace}::"): place for name, place in places.items() if name.startswith(f"{namespace}::")}


def with_names(text, places):
    """A page whose code links to the contracts."""

    def linked(match):
        place = places.get(match[1])
        breakable = match[0].replace("_", "_<wbr />")
        return f'<a class="el" href="{place}">{breakable}</a>' if place else match[0]

    parts = UNLINKED.split(text)
    parts[::2] = [CODE.sub(linked, part) for part in parts[::2]]
    return "".join(parts)


def pages(folder):
    """The pages that are made of Markdown."""
    return {f"{compound.get('refid')}.html" for compound in xml.etree.ElementTree.parse(folder / "xml/index.xml").findall("compound")
            if compound.get("kind") == "page"} | {"index.html"}


def main(folder):
    known = members(folder)
    named = places(folder, known)
    named_in = {"docs_mpi.html": places_in("mpi", named)}
    linked = pages(folder) - NAMES_OF_OTHERS
    for page in (folder / "html").glob("*.html"):
        text = corrected(page.read_text(), known)
        page.write_text(with_names(text, named_in.get(page.name, named)) if page.name in linked else text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
