#!/usr/bin/env -S python3 -B
"""Has links of qualified names lead to what they name.

usage: docs/reference/links.py FOLDER

In code, Doxygen has riffle::sort lead to whichever function of that name it read first, riffle::mpi::sort say.
"""

import html
import pathlib
import re
import sys
import xml.etree.ElementTree

LINK = re.compile(r'(<a class="[^"]*" href=")([\w.]+#\w+)("[^>]*>)([^<]*::[^<]*)(?=</a>)')


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


def main(folder):
    known = members(folder)
    for page in (folder / "html").glob("*.html"):
        page.write_text(corrected(page.read_text(), known))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
