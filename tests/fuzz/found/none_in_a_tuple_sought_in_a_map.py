"""No key of a map has a None in it: what does is looked for in vain."""
from enum import Enum
from typing import Annotated
from specmodel.lang import Capacity, Set, Spec, Struct, action, init, invariant, Range, Bag

class Mode(Enum):
    off = 0
    idle = 1

class S(Struct):
    f: Mode | None
    b: Annotated[dict[tuple[Mode, Mode], bool], Capacity(2)]
    c: dict[tuple[Mode, Mode], bool]
    d: Set[tuple[Mode, Mode]]
    e: Annotated[Bag[tuple[Mode, Mode]], Capacity(2)]
    g: Annotated[Set[tuple[Mode, Mode]], Capacity(2)]
    n: Annotated[int, Range(0, 5)]

@init
def start() -> S:
    return S(f=Mode.off, b={}, c={(a, b): False for a in Mode for b in Mode}, d=set(), e=Bag(), g=set(), n=0)

@action
def clear(s: S) -> None:
    s.f = None

@action
def some(s: S) -> None:
    s.d |= {(Mode.off, Mode.idle)}
    s.g |= {(Mode.off, Mode.idle)}
    s.b[(Mode.off, Mode.idle)] = True
    s.e = s.e if len(s.e) else s.e + {(Mode.off, Mode.idle)}

@invariant
def in_map(s: S) -> bool:
    return (s.f, Mode.idle) not in s.b or s.f == Mode.off

@invariant
def in_set(s: S) -> bool:
    return (s.f, Mode.idle) not in s.d or s.f == Mode.off

@invariant
def in_bag(s: S) -> bool:
    return (s.f, Mode.idle) not in s.e or s.f == Mode.off

@invariant
def count(s: S) -> bool:
    return s.e[(s.f, Mode.idle)] == 0 or s.f == Mode.off

@invariant
def got(s: S) -> bool:
    return s.b.get((s.f, Mode.idle)) is None or s.f == Mode.off

@invariant
def got2(s: S) -> bool:
    return not s.b.get((s.f, Mode.idle), False) or s.f == Mode.off

@invariant
def in_slots(s: S) -> bool:
    return (s.f, Mode.idle) not in s.g or s.f == Mode.off
@invariant
def in_list(s: S) -> bool:
    return (s.f, Mode.idle) in [(Mode.off, Mode.idle)] or s.f is None
@invariant
def in_display(s: S) -> bool:
    return (s.f, Mode.idle) in {(Mode.off, Mode.idle)} or s.f is None
spec = Spec(state=S, init=start, actions=[clear, some], invariants=[in_map, in_set, in_bag, count, got, got2, in_slots, in_list, in_display])
