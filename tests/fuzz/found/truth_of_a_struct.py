"""A struct that says itself whether it is true is asked by `if`, though it is not None."""
from specmodel.lang import Spec, Struct, action, init, require

class P(Struct):
    f: bool
    def __bool__(self) -> bool:
        return self.f

class S(Struct):
    a: P | None
    t: bool

@init
def start(a: P | None) -> S:
    return S(a, False)

@action
def act(s: S) -> None:
    require(s.a)
    s.t = True
spec = Spec(state=S, init=start, actions=[act])
