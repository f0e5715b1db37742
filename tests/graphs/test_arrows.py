"""Messages in flight as arrows of a chart: each is in the states, and says what became of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from specmodel.api import check, load
from specmodel.behaviour.steps import Interpreter
from specmodel.domains import Position
from specmodel.graphs.arrows import MessageArrow
from specmodel.graphs.sequence import SHARED, Chart, chart, mermaid
from specmodel.graphs.sequence_svg import chart_svg
from specmodel.lang import Spec
from specmodel.lang.loading import load_module
from specmodel.results import Trace
from specmodel.views.drawer import Drawer
from specmodel.views.drawing import Flight

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def mail() -> Spec:
    return load_module(Path(__file__).with_name("mail.py")).spec("mail")


def walked(spec: Spec, *wanted: str) -> Trace:
    """The behaviour of steps by their texts; a step that picks may be named by what it picks."""
    interpreter = Interpreter(spec)
    states, steps = [next(interpreter.initial())], []
    for text in wanted:
        state = states[-1]
        for number, after in interpreter.outcomes(state):
            step = interpreter.step(number, state)
            picked = [repr(v.picked) for v in step.arguments.values() if isinstance(v, Position)]
            plain = [repr(v) for v in step.arguments.values() if not isinstance(v, Position)]
            if f"{step.action} {' '.join(plain + picked)}".strip() == text:
                states.append(after)
                steps.append(step)
                break
        else:
            raise AssertionError(f"{text} cannot happen")
    return Trace(tuple(states), tuple(steps))


def drawn(spec: Spec, *wanted: str) -> Chart:
    return chart(spec, walked(spec, *wanted), "t")


def told(found: Chart) -> list[tuple[Any, ...]]:
    return [(a.text, a.source, a.target, a.sent, a.ended, a.fate) for a in found.messages]


FIRST = "Ask(source=c1, to=n1, number=3)"
OPEN = ("Ask(number=3)", "c1", "n1", 1, None, "flying")


def test_from_the_send_to_the_take(mail: Spec) -> None:
    """An arrow goes from the step that adds a message to the one that removes it, once each."""
    found = drawn(
        mail,
        "ask c2 n3",
        "take_ask Ask(source=c2, to=n3, number=0)",
        "take_answer Answer(source=n3, to=c2)",
    )
    assert told(found) == [
        ("Ask(number=0)", "c2", "n3", 2, 3, "taken"),
        ("Answer", "n3", "c2", 3, 4, "taken"),
        OPEN,
    ]
    assert found.lifelines == ("n1", "n2", "n3", "c1", "c2", SHARED)
    assert [event.targets for event in found.events] == [("c2",), ("n3",), (SHARED,)]
    assert [event.label for event in found.events][1:] == [
        "take_ask(m=Ask)",
        "take_answer(m=Answer)",
    ]


def test_a_message_that_stays(mail: Spec) -> None:
    """A step that picks a message and changes its receiver takes it, each time; it is not lost."""
    found = drawn(mail, f"look {FIRST}", f"look {FIRST}", f"lose {FIRST}")
    assert told(found) == [
        ("Ask(number=3)", "c1", "n1", 1, 2, "taken"),
        ("Ask(number=3)", "c1", "n1", 1, 3, "taken"),
    ]
    assert [arrow.again for arrow in found.messages] == [False, True]


def test_lost_and_copied(mail: Spec) -> None:
    """A removal that only changes other parts of the state is a loss; a copy is not sent anew."""
    found = drawn(mail, f"copy {FIRST}", f"lose {FIRST}", f"take_ask {FIRST}")
    assert told(found)[:2] == [
        ("Ask(number=3)", "c1", "n1", 1, 3, "lost"),
        ("Ask(number=3)", "c1", "n1", 1, 4, "taken"),
    ]
    assert [arrow.copied for arrow in found.messages] == [False, True, False]
    assert found.events[0].targets == (SHARED,)


def test_a_crash_hands_nothing_over(mail: Spec) -> None:
    """Messages that vanish while others change are not taken by their receiver."""
    found = drawn(mail, "ask c2 n1", "crash n1")
    assert [(a.target, a.sent, a.ended, a.fate) for a in found.messages] == [
        ("n1", 1, 3, "lost"),
        ("n1", 2, 3, "lost"),
    ]


def test_several_receivers(mail: Spec) -> None:
    """A message to a set of actors has an arrow for each that takes it, and none for others."""
    message = "Tell(source=n1, to={n2, n3})"
    found = drawn(mail, "tell n1 {n2, n3}", f"take_tell n2 {message}", f"take_tell n3 {message}")
    assert told(found)[:-1] == [
        ("Tell", "n1", "n2", 2, 3, "taken"),
        ("Tell", "n1", "n3", 2, 4, "taken"),
    ]
    flying = drawn(mail, "tell n1 {n2, n3}")
    assert told(flying)[1:] == [
        ("Tell", "n1", "n2", 2, None, "flying"),
        ("Tell", "n1", "n3", 2, None, "flying"),
    ]


def test_for_whoever_takes_it(mail: Spec) -> None:
    """Without a receiver an arrow leads to the actor that a step changes; without a sender it
    comes from the part of the state that has no actor."""
    found = drawn(mail, "shout n2", "hear n1 News(source=n2)", "hear n3 Noise(number=1)")
    assert told(found)[:-1] == [
        ("News", "n2", "n1", 2, 3, "taken"),
        ("Noise(number=1)", SHARED, "n3", 2, 4, "taken"),
    ]
    unheard = drawn(mail, "shout n2")
    assert ("News", "n2", "", 2, None, "flying") in told(unheard)


def test_entries_of_a_log_are_no_messages(mail: Spec) -> None:
    """What a list keeps of a sender is not in flight, unless the lanes say so."""
    drawer = Drawer(mail)
    assert drawer.messages is not None and drawer.messages.paths == ("net",)
    assert drawer.lanes is not None
    lanes = {"actor": drawer.lanes.actor, "messages": ("log", "net")}
    found = Drawer(mail.drawn(**lanes)).messages
    assert found is not None and found.paths == ("log", "net")
    silent: dict[str, Any] = {"actor": drawer.lanes.actor, "sender": (), "receiver": ()}
    assert Drawer(mail.drawn(**silent)).messages is None
    nameless = Drawer(mail.drawn(**silent, messages=("net",)))
    assert nameless.messages is not None and nameless.messages.senders == {}
    assert nameless.picture(mail.start.run()).messages == (
        Flight("Ask(source=c1, to=n1, number=3)", (), (), 1, 1),
    )


@pytest.mark.parametrize(
    ("design", "name"),
    [
        ("raft-forgetful", "one_leader"),
        ("two-phase-messages-majority", "agreement"),
        ("multipaxos-own-log", "agreement"),
        ("kraft-any-vote", "one_leader"),
        ("paxos-small-quorum", "agreement"),
    ],
)
def test_every_arrow_is_in_the_states(design: str, name: str) -> None:
    """Of every protocol: a message is in flight from the state that an arrow begins in to the one
    before its end, it was not before, and no other step than that of its end removes it."""
    loaded = load(design)
    trace = check(loaded, properties=[name])[name].trace
    assert trace is not None
    found = chart(loaded.spec, trace, "t", name)
    messages = Drawer(loaded.spec).messages
    assert messages is not None
    notation = Drawer(loaded.spec).notation
    flying = [
        [(notation.without(m, messages.ends(m)), *map(ends, messages.from_to(m))) for m in held]
        for held in map(messages.counted, trace.states)
    ]

    def in_flight(arrow: MessageArrow, number: int) -> bool:
        source = "" if arrow.source == SHARED else arrow.source
        return any(
            text == arrow.text and source == one and (to in ("", arrow.target))
            for text, one, to in flying[number - 1]
        )

    assert found.messages
    for arrow in found.messages:
        last = arrow.ended or trace.length + 1
        assert all(in_flight(arrow, number) for number in range(arrow.sent, last))
        assert arrow.sent == 1 or not in_flight(arrow, arrow.sent - 1)
    sends = {(text, a, b) for held in flying for text, a, b in held}
    assert len({(a.text, a.source) for a in found.messages}) == len({(t, a) for t, a, _ in sends})


def ends(named: tuple[Any, ...]) -> str:
    return ", ".join(map(repr, named))


def test_pictures_tell_what_became_of_messages(mail: Spec) -> None:
    """SVG and Mermaid have an arrow for each, with its text and its history."""
    found = drawn(mail, "ask c2 n3", f"copy {FIRST}", f"lose {FIRST}", f"take_ask {FIRST}")
    tree = ElementTree.fromstring(chart_svg(found))
    titles = ["".join(node.itertext()) for node in tree.iter(f"{SVG}title")]
    for arrow in found.messages:
        assert f"{arrow.text}\n{arrow.history}" in titles
    shown = ["".join(node.itertext()) for node in tree.iter(f"{SVG}text")]
    assert "Ask(number=3) (a copy)" in shown and "Answer" in shown
    text = mermaid(found)
    assert "  c1-xn1: Ask(number=3) (from the start, lost)" in text
    assert "  c1->>n1: Ask(number=3) (from the start, a copy)" in text
    assert "  c2--)n3: Ask(number=0) (sent in 2, not taken by the end)" in text
    assert text.index("-xn1") < text.index("5. take_ask") < text.index("c1->>n1")
