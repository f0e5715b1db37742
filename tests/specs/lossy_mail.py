"""Numbers sent over a line that loses them, and acknowledged, refine numbers that arrive at once.

The same as tests/oracle/LossyMail.tla and DirectMail.tla, whose properties TLC has judged.
"""

from typing import Annotated

from specmodel.lang import (
    Range,
    Spec,
    Struct,
    action,
    always_eventually,
    eventually,
    eventually_always,
    init,
    leads_to,
    refines,
    require,
    require_some,
    strong,
    weak,
)

Number = Annotated[int, Range(0, 2)]


class Mail(Struct):
    """The last number that was sent, and the last that arrived."""

    sent: Number
    got: Number


@init
def nothing() -> Mail:
    """Nothing is sent."""
    return Mail(sent=0, got=0)


@action
def send(s: Mail) -> None:
    """The next number, when the one before has arrived."""
    require(s.sent == s.got)
    s.sent = (s.sent + 1) % 3


@action
def get(s: Mail) -> None:
    """It arrives."""
    require(s.sent != s.got)
    s.got = s.sent


def is_sent(s: Mail) -> bool:
    """A number is on its way."""
    return s.sent != s.got


@leads_to(when=is_sent)
def is_here(s: Mail) -> bool:
    """No number is on its way."""
    return s.sent == s.got


@always_eventually
def is_busy(s: Mail) -> bool:
    """Numbers are sent again and again."""
    return s.sent != s.got


@eventually_always
def is_quiet(s: Mail) -> bool:
    """No more numbers are sent."""
    return s.sent == s.got


@eventually
def is_begun(s: Mail) -> bool:
    """The first number is sent."""
    return s.sent == 1


mail = Spec(state=Mail, init=nothing, actions=[send, get])


class Line(Struct):
    """The numbers, the last one that was acknowledged, and what is on its way in each direction."""

    sent: Number
    got: Number
    acked: Number
    line: Number | None
    back: Number | None


@init
def silent() -> Line:
    """Nothing is sent."""
    return Line(sent=0, got=0, acked=0, line=None, back=None)


@action
def take(s: Line) -> None:
    """The next number, when the one before is acknowledged."""
    require(s.acked == s.sent)
    s.sent = (s.sent + 1) % 3


@action
def transmit(s: Line) -> None:
    """The number goes out, as long as it is not acknowledged."""
    require(s.sent != s.acked and s.line is None)
    s.line = s.sent


@action
def lose(s: Line) -> None:
    """The line loses it."""
    require(s.line is not None)
    s.line = None


@action
def deliver(s: Line) -> None:
    """It arrives, and is acknowledged."""
    number = require_some(s.line)
    s.got = number
    s.back = number
    s.line = None


@action
def hear(s: Line) -> None:
    """The acknowledgement arrives."""
    s.acked = require_some(s.back)
    s.back = None


@refines(mail)
def steps(s: Line) -> Mail:
    """Every step."""
    return Mail(sent=s.sent, got=s.got)


@refines(mail.under(weak(get)))
def weak_get(s: Line) -> Mail:
    """Weak fairness."""
    return Mail(sent=s.sent, got=s.got)


@refines(mail.under(strong(get)))
def strong_get(s: Line) -> Mail:
    """Strong fairness."""
    return Mail(sent=s.sent, got=s.got)


@refines(mail.under(weak(send)))
def weak_send(s: Line) -> Mail:
    """Weak fairness of the sender."""
    return Mail(sent=s.sent, got=s.got)


@refines(mail.under(strong(send)))
def strong_send(s: Line) -> Mail:
    """Strong fairness of the sender."""
    return Mail(sent=s.sent, got=s.got)


@refines(mail.adding(liveness=[is_here]))
def arrives(s: Line) -> Mail:
    """A temporal property of each kind."""
    return Mail(sent=s.sent, got=s.got)


@refines(mail.adding(liveness=[is_busy]))
def goes_on(s: Line) -> Mail:
    """Again and again."""
    return Mail(sent=s.sent, got=s.got)


@refines(mail.adding(liveness=[is_quiet]))
def settles(s: Line) -> Mail:
    """In the end for ever."""
    return Mail(sent=s.sent, got=s.got)


@refines(mail.adding(liveness=[is_begun]))
def begins(s: Line) -> Mail:
    """At some time."""
    return Mail(sent=s.sent, got=s.got)


unfair = Spec(
    state=Line,
    init=silent,
    actions=[take, transmit, lose, deliver, hear],
    transitions=[steps],
    liveness=[weak_get, strong_get, weak_send, strong_send, arrives, goes_on, settles, begins],
)
talking = unfair.under("talking", weak(take), weak(transmit), weak(hear))
weakly = talking.adding("weakly", fairness=[weak(deliver)])
strongly = talking.adding("strongly", fairness=[strong(deliver)])
quiet = unfair.under("quiet", weak(transmit), weak(hear), strong(deliver))
