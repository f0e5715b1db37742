"""Digests of the texts of files: in the keys of compiled code, they stand for the code's makers."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from io import FileIO


@functools.cache
def text_digest(path: str) -> bytes:
    """The digest of a file's text, as it was when this process first asked for it."""
    with FileIO(path) as file:
        return hashlib.sha256(file.read()).digest()


def texts_digest(paths: Iterable[str]) -> str:
    """The digest of the texts of files, in their order."""
    return hashlib.sha256(b"".join(map(text_digest, paths))).hexdigest()
