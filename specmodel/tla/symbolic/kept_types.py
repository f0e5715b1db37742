"""The types of a module's variables, kept between commands in the cache of compiled code.

A search of the same module with the same configuration begins with the types with which the last
one ended. So it needs no sample of the states, and nothing is compiled twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from specmodel.machine import cache
from specmodel.machine.texts import texts_digest
from specmodel.tla.modules import SHIPPED_MODULES
from specmodel.tla.pickling import pickled, unpickled
from specmodel.tla.search import TlaSearch
from specmodel.tla.specification import Specification
from specmodel.tla.symbolic.call_depths import Depths
from specmodel.tla.symbolic.types import TlaType

Types = tuple[Sequence[TlaType | None], Depths]
"""The types of the variables, and how often operators may call themselves."""


def module_digest(spec: Specification) -> str:
    """A text that is equal for modules that the same code compiles to the same graphs."""
    parts = [path.read_bytes() for path in spec.files if path.exists()]
    own = Path(__file__).parent
    sources = [*own.glob("*.py"), *own.parent.glob("*.py"), *SHIPPED_MODULES.glob("*.tla")]
    more = [texts_digest(sorted(map(str, sources))), spec.given]
    return hashlib.sha256(b"\0".join([*(text.encode() for text in more), *parts])).hexdigest()


def kept_types(first: TlaSearch) -> Types | None:
    """The types that were kept of a module that is too large for the beginning of a search.

    None if there are none.
    """
    held = cache.read(_name(first))
    return None if held is None else unpickled(first.spec, held)


def keep_types(first: TlaSearch, types: Types) -> None:
    """Keeps the types of a module."""
    cache.write(_name(first), pickled((tuple(types[0]), dict(types[1]))))


def _name(first: TlaSearch) -> str:
    limits = f"{first.options.max_states} {first.options.timeout}"
    return f"{module_digest(first.spec)} {limits}.types"
