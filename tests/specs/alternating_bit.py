"""The alternating bit protocol over channels that hold one message and may lose it.

The same as tests/oracle/AlternatingBit.tla, whose properties TLC has judged.
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
    require,
    require_some,
    strong,
    weak,
)

Bit = Annotated[int, Range(0, 1)]


class Link(Struct):
    """The bit being sent, the one expected next, and what is on the way."""

    sending: Bit
    expected: Bit
    message: Bit | None
    acknowledgement: Bit | None


@init
def idle() -> Link:
    """Nothing is on the way."""
    return Link(sending=0, expected=0, message=None, acknowledgement=None)


@action
def send(s: Link) -> None:
    """The sender sends, or sends once more."""
    s.message = s.sending


@action
def lose_message(s: Link) -> None:
    """The message is lost."""
    require(s.message is not None)
    s.message = None


@action
def receive(s: Link) -> None:
    """The message arrives, for the first time or again."""
    bit = require_some(s.message)
    if bit == s.expected:
        s.expected = 1 - s.expected
    s.message = None


@action
def acknowledge(s: Link) -> None:
    """The receiver says which bit came last."""
    s.acknowledgement = 1 - s.expected


@action
def lose_acknowledgement(s: Link) -> None:
    """The acknowledgement is lost."""
    require(s.acknowledgement is not None)
    s.acknowledgement = None


@action
def hear_acknowledgement(s: Link) -> None:
    """The acknowledgement arrives: on to the next bit, if it is of this one."""
    bit = require_some(s.acknowledgement)
    if bit == s.sending:
        s.sending = 1 - s.sending
    s.acknowledgement = None


@eventually
def first_arrives(s: Link) -> bool:
    """The first message arrives."""
    return s.expected == 1


@always_eventually
def goes_on(s: Link) -> bool:
    """The sender comes back to the first bit."""
    return s.sending == 0


@always_eventually
def both_agree(s: Link) -> bool:
    """What is sent is what is expected."""
    return s.sending == s.expected


@eventually_always
def stands_still(s: Link) -> bool:
    """The sender stays with its first bit."""
    return s.sending == 0


@eventually_always
def something_is_sent(s: Link) -> bool:
    """From some time on there is always a message."""
    return s.message is not None


def is_sending(s: Link, bit: Bit) -> bool:
    """This bit is to be delivered."""
    return s.sending == bit


@leads_to(when=is_sending)
def each_arrives(s: Link, bit: Bit) -> bool:
    """Each bit arrives."""
    return s.expected == 1 - bit


@leads_to(when=is_sending)
def each_is_sent(s: Link, bit: Bit) -> bool:
    """Each bit is on its way at some time."""
    return s.message is not None and s.message == bit


ACTIONS = (
    send,
    lose_message,
    receive,
    acknowledge,
    lose_acknowledgement,
    hear_acknowledgement,
)

unfair = Spec(
    state=Link,
    init=idle,
    actions=ACTIONS,
    liveness=[
        first_arrives,
        goes_on,
        both_agree,
        stands_still,
        something_is_sent,
        each_arrives,
        each_is_sent,
    ],
)
moving = unfair.under("moving", weak(*ACTIONS))
talking = unfair.under("talking", weak(send), weak(acknowledge))
weakly = talking.adding("weakly", fairness=[weak(receive), weak(hear_acknowledgement)])
half = talking.adding("half", fairness=[strong(receive), weak(hear_acknowledgement)])
strongly = talking.adding("strongly", fairness=[strong(receive), strong(hear_acknowledgement)])
