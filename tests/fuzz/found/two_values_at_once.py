"""CPython before 3.11.4 gives a name that is unpacked to twice the first value (gh-104615)."""
from specmodel.lang import Spec, Struct, action, init, require

class S(Struct):
    c: bool

@init
def start() -> S:
    return S(c=True)

@action
def step(s: S) -> None:
    r, r = (S(c=False), s)
    require(r.c)
spec = Spec(state=S, init=start, actions=[step])
