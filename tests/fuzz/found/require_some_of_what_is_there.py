"""`require_some` on a line of its own, of what is never None, or always."""
from specmodel.lang import Spec, Struct, action, init, require_some

class P(Struct):
    f: bool

class Q(Struct):
    g: bool

class S(Struct):
    a: P | Q | None
    p: P
    n: bool

@init
def start(x: P | Q | None) -> S:
    return S(a=x, p=P(True), n=False)

@action
def told(s: S) -> None:
    if isinstance(s.a, P):
        require_some(s.a)
        s.n = s.a.f

@action
def parts(s: S) -> None:
    require_some(0)
    require_some(s.p)
    require_some(s.a.f)
    s.n = not s.n

@action
def never(s: S) -> None:
    require_some(None)
    s.n = True
spec = Spec(state=S, init=start, actions=[told, parts, never])
