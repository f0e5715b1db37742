"""What is drawn of a state, before anything draws it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from specmodel.api import load
from specmodel.design import Design
from specmodel.errors import SpecError
from specmodel.lang import Spec
from specmodel.lang.loading import load_module
from specmodel.model.places import inferred_lanes
from specmodel.results import Trace
from specmodel.suite.catalog import catalog
from specmodel.suite.targets import spec_of
from specmodel.traces.notation import Notation
from specmodel.views.drawer import Drawer
from specmodel.views.drawing import Fact, Flight, Picture
from specmodel.views.lanes import LanesText
from specmodel.views.symbols import ASCII
from tests.kernel.reference import reachable_states

TOUR = Path(__file__).parents[1] / "specs" / "tour.py"


def row(picture: Picture, actor: str) -> Any:
    return next(row for row in picture.rows if row.actor == actor)


def fact(picture: Picture, actor: str, title: str) -> Fact:
    return next(fact for fact in row(picture, actor).facts if fact.title == title)


def lines(picture: Picture, width: int = 100) -> list[str]:
    return [line.plain for line in LanesText(ASCII, width).lines(picture)]


def test_a_truncated_record(truncation: tuple[Design, Trace]) -> None:
    """The end of the counterexample: cells, marks, who leads, what is yet to come."""
    design, trace = truncation
    *_, picture = Drawer(design.spec).pictures(trace)
    loser, leader = row(picture, "r1"), row(picture, "r2")
    assert picture.number == trace.length and picture.columns == 1
    assert (loser.cells[0].text, loser.cells[0].mark) == ("m0@e1", "truncated")
    assert (loser.log_end, loser.truncated_to, loser.follows) == (0, 0, "r2")
    assert (leader.cells[0].committed, leader.high_watermark) == (True, 1)
    assert leader.cells[0].shade == leader.epoch == 1
    assert (leader.leads, leader.isr) == ("leader", ("r1", "r2"))
    assert loser.requests == ("stale", "accepted") and leader.requests == ("stale", "accepted")
    assert fact(picture, "r1", "epoch") == Fact("epoch", "1", "0", "epoch")
    assert fact(picture, "r2", "in quorum.isr") == Fact("in quorum.isr", "yes", "yes", "members")
    assert [request.epoch for request in picture.requests] == [0, 1]
    assert picture.status[0].value == "epoch 1, leader r2, isr {r1, r2}"


def diverged() -> tuple[Spec, Any]:
    """A state of two leaders whose logs part at offset 1."""
    spec = spec_of(load("kip320").spec)
    state = spec.domain.copy(spec.start.run())
    names = spec.init.__globals__
    replica, record = names["Replica"], names["Record"]
    one, other, _ = replica
    for leader, epoch in ((one, 1), (other, 2)):
        held = state.replica[leader]
        held.leader, held.epoch, held.isr = leader, epoch, {leader}
        state.log[leader].append(record(0, 0))
        state.log[leader].append(record(1, epoch))
    return spec, state


def test_two_leaders() -> None:
    """The older one is stale, and its log differs from the newer one's."""
    spec, state = diverged()
    picture = Drawer(spec).picture(state)
    stale, leader = row(picture, "r1"), row(picture, "r2")
    assert (stale.leads, leader.leads) == ("stale", "leader")
    assert (stale.divergence, stale.compared) == (1, "r2")
    assert [cell.divergent for cell in stale.cells] == [False, True]
    assert not any(cell.divergent for cell in leader.cells)
    assert "# differs from r2 at offset 1" in lines(picture, 200)[1]


def test_a_picture_is_plain_data(truncation: tuple[Design, Trace]) -> None:
    """It can be written as JSON, for whatever draws it elsewhere."""
    design, trace = truncation
    for picture in Drawer(design.spec).pictures(trace):
        assert json.loads(json.dumps(dataclasses.asdict(picture)))["number"] == picture.number


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_narrow_terminals(width: int) -> None:
    """A picture keeps within the width, and every fact is still told."""
    spec, state = diverged()
    picture = Drawer(spec).picture(state)
    found = lines(picture, width)
    assert max(map(len, found)) <= width
    text = " ".join(" ".join(found).split())
    for told in ("m1@e2", "leader (stale)", "{r1}", "differs from r2 at offset 1", "quorum: "):
        assert told in text


def test_many_records_in_a_narrow_terminal() -> None:
    """The last offsets are shown, each with its number."""
    spec = spec_of(load("kip320", log_size=6, max_records=6).spec)
    state = spec.domain.copy(spec.start.run())
    names = spec.init.__globals__
    for number in range(6):
        state.log[next(iter(names["Replica"]))].append(names["Record"](number, 0))
    for width, first in ((60, 0), (40, 2)):
        found = lines(Drawer(spec).picture(state), width)
        assert max(map(len, found)) <= width
        assert found[0].split() == [str(offset) for offset in range(first, 6)]
        assert found[1].count("[m") == 6 - first


@pytest.mark.parametrize("name", sorted(catalog().designs))
def test_every_design_is_drawn(name: str) -> None:
    """The declared lanes of every design fit its state, and no function of theirs fails there."""
    spec = spec_of(load(name).spec)
    assert spec.lanes is not None
    for state in reachable_states(spec, 10):
        picture = Drawer(spec).picture(state)
        assert len(picture.rows) == len(spec.lanes.actor)
        assert picture.rows[0].facts
        assert lines(picture)


@pytest.mark.parametrize(
    ("lanes", "message"),
    [
        ({"log": "quorum"}, '"quorum" is not indexed by Replica'),
        ({"log": "replica.hw"}, '"replica.hw" is no sequence per Replica'),
        ({"epoch": "replica.epoc"}, 'no field epoc; did you mean "epoch"'),
        ({"facts": ("next_id",)}, '"next_id" is not indexed by Replica'),
        ({"members": ("quorum.leader",)}, '"quorum.leader" is no set'),
        ({"cursors": {"x": "quorum.isr"}}, '"quorum.isr" is no int'),
        ({"requests": "quorum"}, '"quorum" is no map'),
        ({"status": ("quorums",)}, 'no field quorums; did you mean "quorum"'),
        ({"messages": ("quorum",)}, '"quorum" is no set, bag or list of structs'),
        ({"messages": ("logs",)}, 'no set, bag or list of structs; did you mean "log"'),
        ({"messages": ("log",), "sender": ("id",)}, 'no message has a field "id" of type Replica'),
        ({"receiver": ("leader",)}, 'no message has a field "leader" of type Replica'),
        ({"messages": "log"}, 'messages takes several paths: write messages=("log",)'),
    ],
)
def test_places_that_are_not_there(lanes: dict[str, Any], message: str) -> None:
    """A path that does not fit is refused by the types, whatever the state."""
    spec = spec_of(load("truncate-to-hw").spec)
    with pytest.raises(SpecError, match="lanes: ") as caught:
        spec.drawn(**lanes)
    assert message in str(caught.value)


def test_functions_as_places() -> None:
    """Values that no field has are computed; where that fails, nothing is drawn."""
    spec = spec_of(load("two-phase-commit").spec)

    def fails(s: Any, p: Any) -> int:
        raise ValueError

    drawn = spec.drawn(
        facts={"ready": lambda s, p: p in s.promised, "failing": fails},
        status={"votes": lambda s: len(s.promised)},
    )
    picture = Drawer(drawn).picture(spec.start.run())
    assert fact(picture, "p1", "ready").value == "False"
    assert fact(picture, "p1", "failing").value == "-"
    assert picture.status == (Fact("votes", "0", "0"),)


def test_what_types_tell() -> None:
    """Without a declaration: the actors of most fields, their first list as log, sets of them."""
    domain = load_module(TOUR).spec("tour").domain
    lanes = inferred_lanes(domain)
    assert lanes is not None
    assert str(lanes.actors) == "Node"
    assert lanes.facts == ["of.x", "of.y"] and lanes.members == ["seen"]
    assert "colour" in lanes.status and "of" not in lanes.status
    cluster = load("kip320").spec.domain
    lanes = inferred_lanes(cluster)
    assert lanes is not None and lanes.log == "log"
    assert "replica.hw" in lanes.facts and "quorum" in lanes.status


def test_a_state_without_actors() -> None:
    """Every variable is status, what changed is known."""
    spec = spec_of(load("kip320").spec)
    plain = Spec(state=type(spec.start.run().quorum), init=spec.init, actions=spec.actions)
    quorum = spec.start.run().quorum
    after = plain.domain.copy(quorum)
    after.epoch = 0
    picture = Drawer(plain).picture(after, quorum)
    assert picture.rows == ()
    assert [f.title for f in picture.status if f.changed] == ["epoch"]


MAIL = Path(__file__).parents[1] / "graphs" / "mail.py"


def posted(**lanes: Any) -> tuple[Any, Any, Any]:
    """A design of messages, a state, and a state after it with more of them."""
    module = load_module(MAIL)
    spec = module.spec("mail")
    spec = spec.drawn(**lanes) if lanes else spec
    names = spec.init.__globals__
    (n1, n2, n3), (c1, _) = names["Node"], names["Client"]
    state = spec.domain.copy(spec.start.run())
    state.net += {names["News"](n3), names["Tell"](n1, {n2, n3})}
    after = spec.domain.copy(state)
    after.net += {names["Ask"](c1, n1, 3)}
    return spec, state, after


def test_messages_in_flight() -> None:
    """From whom, to whom, what, how many copies, and which are new: of bags, whatever the ends."""
    spec, state, after = posted()
    picture = Drawer(spec).picture(after, state)
    assert picture.messages == (
        Flight("Ask(number=3)", ("c1",), ("n1",), 2, 1),
        Flight("Tell", ("n1",), ("n2", "n3"), 1, 1),
        Flight("News", ("n3",), (), 1, 1),
    )
    assert "net" not in [fact.title for fact in picture.status]
    found = [line.strip() for line in lines(picture)]
    assert found[found.index("messages:") + 1 :] == [
        "c1 -> n1        +Ask(number=3) (2 copies)",
        "n1 -> {n2, n3}  Tell",
        "n3 ->           News",
    ]
    empty = spec.domain.copy(state)
    empty.net = type(state.net)()
    assert lines(Drawer(spec).picture(empty))[-1].strip() == "messages: none"
    assert max(map(len, lines(picture, 40))) <= 40


def test_messages_have_the_formats_of_lanes() -> None:
    """A struct has its own format, also as a member of a bag; nothing else of it is written."""
    spec = load_module(MAIL).spec("mail")
    names = spec.init.__globals__
    drawn = spec.drawn(actor=names["Node"], status=("net",), formats={names["Ask"]: "ask {number}"})
    notation = Notation.of_spec(drawn)
    asked = next(iter(drawn.start.run().net))
    assert notation.value(asked) == "ask 3"
    assert Drawer(drawn).picture(drawn.start.run()).messages == (
        Flight("ask 3", ("c1",), ("n1",), 1, 1),
    )


def test_messages_of_a_union_that_name_a_sender() -> None:
    """Paxos names the field of the sender; messages without it come first, with no ends."""
    spec = spec_of(load("paxos").spec)
    names = spec.init.__globals__
    state = spec.domain.copy(spec.start.run())
    first = next(iter(names["Acceptor"]))
    state.messages |= {names["Prepare"](0), names["Promise"](first, 0, -1, None)}
    assert Drawer(spec).picture(state).messages == (
        Flight("Prepare(ballot=0)", (), (), 1, 1),
        Flight("Promise(ballot=0, voted=-1, value=None)", ("a1",), (), 1, 1),
    )


def test_designs_without_messages() -> None:
    """Lists that tell of actors, such as the changes of a leader, are drawn as they were."""
    for name in ("metadata-kip320", "kip320", "multipaxos", "voting"):
        messages = Drawer(spec_of(load(name).spec)).messages
        assert (None if messages is None else messages.paths) == (
            ("messages",) if name == "multipaxos" else None
        )
