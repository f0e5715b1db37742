"""The package's `dataclass` makes classes that behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel.dataclass import dataclass

MAKERS = [dataclass, dataclasses.dataclass]


def classes_of(made: Any) -> tuple[type[Any], ...]:
    """Classes of every form that the package uses."""

    @made(frozen=True)
    class Base:
        a: int
        b: str = field(default="x", repr=False)
        c: int = field(default=3, compare=False)

    @made(frozen=True)
    class Later(Base):
        d: int = 4

    @made(frozen=True, slots=True)
    class Slotted:
        a: int

    @made(frozen=True, eq=False)
    class Same:
        a: int

    @made
    class Changing:
        a: int

    @made(frozen=True, order=True)
    class Sorted:
        a: int

    @made(frozen=True)
    class Own:
        a: int

        def __eq__(self, other: object) -> bool:
            return True

        def __repr__(self) -> str:
            return "own"

        def __hash__(self) -> int:
            return 7

    @made(frozen=True)
    class Nothing:
        pass

    return Base, Later, Slotted, Same, Changing, Sorted, Own, Nothing


FORMS = range(len(classes_of(dataclass)))


@pytest.mark.parametrize("form", FORMS)
def test_a_class_is_as_the_standard_library_makes_it(form: int) -> None:
    """Its objects are equal, hashed, shown, replaced and listed alike."""
    facts: list[Any] = []
    for maker in MAKERS:
        cls = classes_of(maker)[form]
        names = [f.name for f in dataclasses.fields(cls)]
        has = bool(names)
        one, same = (cls(*([1] if has else [])) for _ in range(2))
        other = cls(2) if has else 5
        facts.append(
            (
                one == same,
                one != same,
                one == other,
                one == 1,
                "c" in names and (cls(1, c=9) == one, cls(1, b="y") == one),
                cls.__hash__ is None,
                cls.__hash__ is object.__hash__,
                cls.__hash__ not in (None, object.__hash__) and hash(one) == hash(same),
                cls.__name__ == "Own" and hash(one),
                repr(one).rpartition("object at")[0] or repr(one).rpartition(".")[2],
                [(f.name, f.repr, f.compare) for f in dataclasses.fields(cls)],
                dataclasses.replace(one) == one,
                copy.copy(one) == one,
                getattr(cls, "__match_args__", None),
                hasattr(one, "__dict__"),
                bool(cls.__doc__),
                has and hasattr(cls, "__lt__") and isinstance(cls.__lt__(one, same), bool),
            )
        )
    assert facts[0] == facts[1]


@dataclass(frozen=True)
class Kept:
    """An object with a field that holds others of its class."""

    name: str
    others: list[Kept] = field(default_factory=list["Kept"])


def test_objects_are_pickled_and_shown_also_where_they_hold_themselves() -> None:
    one = Kept("a", [Kept("b")])
    assert pickle.loads(pickle.dumps(one)) == one
    one.others.append(one)
    assert repr(one) == "Kept(name='a', others=[Kept(name='b', others=[]), ...])"


def test_a_subclass_with_fields_of_its_own_is_not_equal_to_its_base() -> None:
    base, later = classes_of(dataclass)[:2]
    assert base(1) != later(1)
    assert later(1) != base(1)
    assert later(1, d=5) != later(1)


def test_the_package_makes_no_class_by_the_slow_way() -> None:
    """Each class of the standard library costs a start of the command half a millisecond."""
    root = Path(specmodel.__file__).parent
    slow = "from dataclasses import dataclass"
    for path in sorted(root.rglob("*.py")):
        lines = path.read_text().splitlines()
        found = [line for line in lines if line.strip().startswith(slow)]
        assert not found or path.name == "dataclass.py", path
