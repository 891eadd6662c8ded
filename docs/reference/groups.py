"""Which group of the reference a header belongs to: the group of its module, by the names that groups.dox defines."""

import pathlib
import re

DEFINITIONS = pathlib.Path(__file__).resolve().parent / "groups.dox"
# Core's top headers; and primitives/, which has one public header, for kernels of teams.
GROUP_OF_MODULE = {"": "common", "primitives": "team"}


def groups():
    return re.findall(r"\\defgroup (\w+)", DEFINITIONS.read_text())


def is_public_header(name):
    """Whether a header, as it is included, is the public header of a module, named as its group: riffle/scan.hpp."""
    return any(name == f"riffle/{group}.hpp" for group in groups())


def group_of(name):
    """The group of a header, as it is included; "" where groups.dox has none for it."""
    _, *folders, file = name.split("/")
    module = file.removesuffix(".hpp") if is_public_header(name) else folders[0] if folders else ""
    group = GROUP_OF_MODULE.get(module, module)
    return group if group in groups() else ""
