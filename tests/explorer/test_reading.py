"""What the page is told of a behaviour: steps, states, changes, truths, reasons."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

from specmodel.analysis.rival import Rival
from specmodel.errors import UsageError
from specmodel.explorer import behaviour_tree
from specmodel.explorer.behaviour_tree import TreeNode
from specmodel.explorer.branch import Branch
from specmodel.explorer.driving import Driving
from specmodel.explorer.opening import open_target
from specmodel.explorer.plain import PlainReading
from specmodel.explorer.reading import DesignReading

Read = Callable[..., Any]


def test_spine(read: Read, first_try: Path) -> None:
    """Each step with its label, the actors it is about, and where the property turns false."""
    reading = read(first_try)
    spine = reading.spine(reading.start, 1, 100)
    assert (spine["branch"], spine["length"], spine["loop"]) == ("t12", 12, None)
    names = [p["name"] for p in reading.about()["properties"]]
    truths = [step["truths"][names.index("weak_isr")] for step in spine["steps"]]
    assert "".join(truths) == "1" * 11 + "0"
    fetch = spine["steps"][10]
    assert fetch["label"] == "fetch_matching(follower=r2, leader=r3)"
    assert (fetch["changed"], fetch["named"]) == (["r2"], ["r2", "r3"])


def test_a_part_of_a_spine_is_that_part(read: Read, first_try: Path) -> None:
    """A long trace comes in pieces, and the pieces make the whole."""
    reading = read(first_try)
    whole = reading.spine(reading.start, 1, 100)["steps"]
    parts = [reading.spine(reading.start, first, 5)["steps"] for first in (1, 6, 11)]
    assert [step for part in parts for step in part] == whole
    assert reading.frames(reading.start, 7, 2) == reading.frames(reading.start, 1, 100)[6:8]


def test_forgotten_states_are_computed_again(
    first_try: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that keeps few states answers as one that keeps all, whatever it is asked next."""
    whole, few = (cast(DesignReading, open_target(str(first_try), {})) for _ in range(2))
    rng = Random(1)
    branches = [Branch("t", at) for at in (3, 8)]
    for _ in range(40):
        branch = rng.choice(branches)
        groups = Driving(whole).moves(branch, branch.length)["groups"]
        possible = [m["binding"] for g in groups for m in g["bindings"] if "changes" in m]
        branches.append(branch.then(rng.choice(possible)))
    rng.shuffle(branches)
    for branch in branches:
        wanted = whole.frames(branch, 1, 100)
        with monkeypatch.context() as limited:
            limited.setattr(behaviour_tree, "MOST_KEPT", 2)
            assert few.frames(branch, 1, 100) == wanted
            tree = few.tree
            assert sum(map(_below, tree.recorded)) <= branch.length + 2
    assert sum(map(_below, whole.tree.recorded)) == len(set(branches)) - 2


def _below(node: TreeNode) -> int:
    return sum(1 + _below(child) for child in node.children.values())


def test_frames_have_changes(read: Read, first_try: Path) -> None:
    """Of each state all variables, and the leaves that the step has changed."""
    reading = read(first_try)
    frame = reading.frames(reading.start, 8, 1)[0]
    assert [name for name, _ in frame["state"]["parts"]] == list(reading.spec.domain.fields)
    assert frame["changes"] == [
        {
            "place": "log[r3]",
            "kind": "appended",
            "gained": ["m0@e2"],
            "before": "[]",
            "after": "[m0@e2]",
        },
        {"place": "next_id", "kind": "stored", "before": "0", "after": "1"},
    ]


def test_why(read: Read, first_try: Path) -> None:
    """The truth tree of the false property ends in the comparison that decides, with a witness."""
    reading = read(first_try)
    found = reading.why(reading.start, 12)
    (weak,) = found["properties"]
    assert (weak["name"], weak["holds"]) == ("weak_isr", False)
    assert weak["why"]["with"] == {"leader": "r2"}
    assert "len(log[r1]) is 0" in weak["why"]["said"]
    assert "/" not in (weak["why"]["place"] or ""), "no folder of this machine is told"


def test_why_of_one(read: Read) -> None:
    """Of a state that is looked for it is asked why it is not this one."""
    reading = read("kip320")
    assert reading.why(reading.start, 1)["properties"] == []
    (found,) = reading.why(reading.start, 1, "full_log_committed")["properties"]
    assert (found["kind"], found["holds"]) == ("reachable", False)
    assert found["why"]["said"]
    with pytest.raises(UsageError, match="no property"):
        reading.why(reading.start, 1, "nothing")


def test_pictures_are_the_terminals(read: Read, first_try: Path) -> None:
    """The drawing of a state is the one that every view shows."""
    reading = read(first_try)
    picture = reading.frames(reading.start, 12, 1)[0]["picture"]
    assert [row["leads"] for row in picture["rows"]] == ["", "stale", "leader"]
    assert [row["high_watermark"] for row in picture["rows"]] == [0, 1, 1]
    assert picture["rows"][2]["requests"] == ("stale", "stale", "accepted")


def test_watch(read: Read, first_try: Path) -> None:
    """An expression has a value in each state; a wrong one is refused with its place."""
    reading = read(first_try)
    values = reading.watch(reading.start, "len(log[r3])", 1, 100)
    assert values == ["0"] * 7 + ["1"] * 5
    assert reading.watch(reading.start, "log[r3][0].epoch", 7, 2)[0].startswith("none: ")
    with pytest.raises(UsageError, match="not defined"):
        reading.watch(reading.start, "lag[r3]", 1, 1)


def test_branches(read: Read, first_try: Path) -> None:
    """What can happen there can be done, and leads where it says it does."""
    reading = read(first_try)
    driving = Driving(reading)
    moves = driving.moves(reading.start, 9)
    write = next(g for g in moves["groups"] if g["action"] == "write")
    able = [b for b in write["bindings"] if "changes" in b]
    assert [b["arguments"] for b in able] == [[["leader", "r3"]]]
    branch = reading.start.prefix(9).then(able[0]["binding"])
    assert branch.length == 10
    frame = reading.frames(branch, 10, 1)[0]
    assert frame["changes"] == able[0]["changes"]


def test_moves_are_the_interpreters(read: Read, loss: Path) -> None:
    """In every state of a trace exactly the enabled bindings are offered."""
    reading = read(loss)
    driving = Driving(reading)
    for node in reading.tree.nodes(reading.start):
        rival: Rival = reading.rival
        enabled = {number for number, _ in rival.interpreter.successors(node.state)}
        rows = [
            b for g in driving.moves(reading.start, node.number)["groups"] for b in g["bindings"]
        ]
        assert {b["binding"] for b in rows if "changes" in b} == enabled
        assert len(rows) == len(rival.interpreter.bindings)


def test_reasons_name_the_false_guard(read: Read, first_try: Path) -> None:
    """An action that cannot happen is told with the condition that is false, in words."""
    reading = read(first_try)
    rows = Driving(reading).reasons(reading.start, 1, "write")
    assert {row["enabled"] for row in rows} == {False}
    false = [g for g in rows[0]["guards"] if g["value"] is False]
    assert false[0]["said"] == "replica[r1].leader is None, not r1"
    with pytest.raises(UsageError, match="no action"):
        Driving(reading).reasons(reading.start, 1, "wrote")


def test_compare_stops_at_the_guard(read: Read, first_try: Path) -> None:
    """KIP-320 refuses the stale follower: the step, the guard, and the rival's own state."""
    reading = read(first_try)
    driving = Driving(reading)
    found = driving.compare(reading.start, "kip320")
    assert found["blocked"]["state"] == 10
    false = [g["said"] for a in found["blocked"]["attempts"] for g in a["guards"] if not g["value"]]
    assert false == ["replica[r3].epoch is 2, not 0"]
    there = driving.rival(Branch.parse(found["branch"]), "kip320", 9)[0]
    assert there["state"] == reading.frames(reading.start, 9, 1)[0]["state"]


@pytest.mark.parametrize("text", ["t13", "t12.99999", "i1", "t12.0.0.0.0.0.0"])
def test_branches_that_are_none(read: Read, first_try: Path, text: str) -> None:
    """An old address whose choices cannot be made is an error in words."""
    reading = read(first_try)
    with pytest.raises(UsageError):
        reading.spine(Branch.parse(text), 1, 100)


def test_a_step_the_design_refuses_is_marked(first_try: Path, tmp_path: Path) -> None:
    """A trace that its design does not allow can be read; the step and the reason are marked."""
    held = json.loads(first_try.read_text())
    held["states"][4]["#meta"]["action"] = "become_leader(epoch=0)"
    held["states"][6]["#meta"]["action"] = "surprise(leader=r1)"
    held["states"][8]["#meta"]["action"] = "write(leader=r1)"
    file = tmp_path / "edited.itf.json"
    file.write_text(json.dumps(held))
    reading = open_target(str(file), {})
    steps = reading.spine(reading.start, 1, 100)["steps"]
    faults = {step["number"]: step["fault"] for step in steps if "fault" in step}
    assert set(faults) == {5, 7, 9}
    assert "leads elsewhere" in faults[5]
    assert "no step of this name" in faults[7]
    assert "does not allow this step here" in faults[9]


def test_without_a_design(hostile: Path) -> None:
    """A trace of nobody's is shown as it is: missing variables, deep values, a loop."""
    reading = open_target(str(hostile), {})
    assert isinstance(reading, PlainReading)
    assert reading.about()["notice"].startswith("shown without its design: ")
    spine = reading.spine(reading.start, 9_990, 500)
    assert (len(spine["steps"]), spine["loop"]) == (11, 9_000)
    frame = reading.frames(reading.start, 4, 1)[0]
    missing = next(c for c in frame["changes"] if "img" in c["place"])
    assert (missing["before"], missing["after"]) == ("2", "absent")


def test_a_named_design_must_fit(hostile: Path, first_try: Path) -> None:
    """Asked for by name, a design that does not fit is an error, not a trace without design."""
    with pytest.raises(UsageError):
        open_target(str(hostile), {}, on="kip320")
    assert isinstance(open_target(str(first_try), {}, on="kip320"), DesignReading)
