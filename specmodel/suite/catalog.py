"""The catalog of designs that are found by name.

The folders, in order: `models` in the current directory, those listed in SPECMODEL_PATH, and the
models that come with specmodel. A design found in an earlier folder hides one of the same name in a
later folder, so that a copy can be edited in place of the original. A name that occurs twice in one
folder is a mistake.
"""

from __future__ import annotations

import os
from pathlib import Path

from specmodel.dataclass import dataclass
from specmodel.errors import SpecmodelError, UsageError, suggestion
from specmodel.files import files_below
from specmodel.suite.documents import ENDINGS, Document, canonical, read_design

SEARCH_PATH = "SPECMODEL_PATH"

_OWN_FOLDER = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Catalog:
    """The designs that can be named, and the files that could not be read."""

    designs: dict[str, Document]
    broken: tuple[SpecmodelError, ...]

    def named(self, name: str) -> Document:
        """The design with a name, written with - or _.

        Raises UsageError with suggestions and with the files that cannot be read, because the
        design may be in one.
        """
        wanted = canonical(name)
        if wanted in self.designs:
            return self.designs[wanted]
        hint = suggestion(wanted, self.designs)
        if not hint.startswith("; did you mean"):
            hint = '; "specmodel list" names them'
        message = f'no design is called "{name}"{hint}'
        raise UsageError("\n".join([message, *(str(wrong) for wrong in self.broken)]))


def folders() -> tuple[Path, ...]:
    """The folders to search, in order. Raises UsageError for a wrong SPECMODEL_PATH."""
    listed = [Path(part) for part in os.environ.get(SEARCH_PATH, "").split(os.pathsep) if part]
    for folder in listed:
        if not folder.is_dir():
            raise UsageError(f"{SEARCH_PATH} names {folder}, which is not a folder")
    found = [Path("models"), *listed, shipped()]
    return tuple(dict.fromkeys(f.resolve() for f in found if f.is_dir()))


def shipped() -> Path:
    """The models that come with specmodel: inside an installed package, beside it in a checkout."""
    inside = _OWN_FOLDER / "models"
    return inside if inside.is_dir() else _OWN_FOLDER.parent / "models"


def find(name: str) -> Document:
    """The design with a name, as `Catalog.named` returns it.

    Only files that mention the name are read, unless none of them is the design.
    """
    known = catalog(mentioning=name).designs.get(canonical(name))
    return known or catalog().named(name)


def catalog(places: tuple[Path, ...] | None = None, mentioning: str = "") -> Catalog:
    """Reads every design file below the folders, or those that mention a name."""
    designs: dict[str, Document] = {}
    broken: list[SpecmodelError] = []
    for folder in folders() if places is None else places:
        here: dict[str, Document] = {}
        for path in files_below(folder, *ENDINGS):
            try:
                document = read_design(path, mentioning)
            except SpecmodelError as wrong:
                broken.append(wrong)
                continue
            if document is None:
                continue
            if document.name in here:
                first = here[document.name].path
                broken.append(
                    UsageError(f'two designs are called "{document.name}": {first} and {path}')
                )
                continue
            here[document.name] = document
        designs = here | designs
    return Catalog(designs, tuple(broken))
