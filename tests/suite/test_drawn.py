"""Lanes in a design's YAML file: what they draw, and where a mistake is said to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.domains.found import found_places
from specmodel.errors import BoundExceeded, SpecError
from specmodel.suite.targets import load_target, spec_of, widen
from specmodel.views.drawer import Drawer
from specmodel.views.drawing import Flight
from tests.conftest import Specmodel

MAIL = """
from specmodel.lang import Lanes, ScalarSet, Set, Spec, Struct, action, init, invariant, require

class Node(ScalarSet, size=2):
    "Who writes."

class Ask(Struct):
    writer: Node
    reader: Node

class Net(Struct):
    post: Set[Ask]
    seen: dict[Node, bool]
    count: int

@init
def start() -> Net:
    return Net(post=set(), seen={n: False for n in Node}, count=0)

@action
def ask(s: Net, a: Node, b: Node) -> None:
    require(a != b and s.count < 40)
    s.post |= {Ask(a, b)}
    s.count += 1

@invariant
def quiet(s: Net) -> bool:
    return s.count < 30

plain = Spec(state=Net, init=start, actions=[ask], invariants=[quiet])
drawn = Spec(
    state=Net,
    init=start,
    actions=[ask],
    invariants=[quiet],
    lanes=Lanes(actor=Node, facts=("seen",)),
)
"""


def design(folder: Path, lanes: str, spec: str = "plain") -> Path:
    """A design whose file has these lanes."""
    (folder / "mail.py").write_text(MAIL)
    file = folder / "mail.yaml"
    file.write_text(f"design: mail\nspec: mail.py:{spec}\nlanes: {lanes}\n")
    return file


@pytest.mark.parametrize("spec", ["plain", "drawn"])
@pytest.mark.parametrize("actor", ["", "actor: Node, "])
def test_messages_of_a_file(tmp_path: Path, spec: str, actor: str) -> None:
    """Names of ends that are not the usual ones, of a spec with lanes of its own or without."""
    file = design(tmp_path, f"{{{actor}sender: [writer], receiver: [reader]}}", spec)
    found = spec_of(load_target(str(file), {}).spec)
    state = found.domain.copy(found.start.run())
    (n1, n2) = found.init.__globals__["Node"]
    state.post |= {found.init.__globals__["Ask"](n1, n2)}
    picture = Drawer(found).picture(state)
    assert picture.messages == (Flight("Ask", ("n1",), ("n2",), 1, 1),)
    assert [[f.title for f in row.facts] for row in picture.rows] == [["seen"], ["seen"]]


def test_lanes_stay_where_a_search_widens_bounds(tmp_path: Path) -> None:
    """The spec is loaded again with wider bounds, and drawn as its file says all the same."""
    file = design(tmp_path, '{sender: [writer], receiver: [reader], formats: {Ask: "hello"}}')
    found = load_target(str(file), {})
    for most in (100, 1000):
        before = spec_of(found.spec)
        place = next(p for p, _ in found_places(before.domain) if p.name == "Net.count")
        widen(found, BoundExceeded(place, 0, most))
        again = spec_of(found.spec)
        assert again is not before and again.lanes is not None
        assert again.lanes.sender == ("writer",)
        assert list(again.lanes.formats.values()) == ["hello"]
        state = again.domain.copy(again.start.run())
        state.count = most
        assert Drawer(again).picture(again.domain.copy(state)).messages == ()


@pytest.mark.parametrize(
    ("lanes", "wrong", "message"),
    [
        ("{mesages: [post]}", "mesages", 'unknown key "mesages"; did you mean "messages"'),
        ("{messages: post}", "post", '"messages" is a list'),
        (
            "{messages: [post, posts]}",
            "posts",
            'no set, bag or list of structs; did you mean "post"',
        ),
        ("{sender: [writer], receiver: [who]}", "who", 'no message has a field "who" of type Node'),
        ("{actor: Nod}", "Nod", 'the state has no "Nod"; did you mean "Node"'),
        ("{facts: {saw: seem}}", "seem", 'no field seem; did you mean "seen"'),
        ("{log: post}", "post", '"post" is not indexed by Node'),
        ("{formats: {Asks: x}}", "x", 'the state has no "Asks"; did you mean "Ask"'),
        ('{formats: {Ask: "{x}"}}', '"{x}"', "does not fit a Ask"),
        ("[post]", "[post]", '"lanes" is a mapping'),
    ],
)
def test_mistakes_have_a_place(tmp_path: Path, lanes: str, wrong: str, message: str) -> None:
    """Each is reported at the part of the file without which it would not be there."""
    file = design(tmp_path, lanes)
    with pytest.raises(SpecError) as caught:
        load_target(str(file), {})
    assert message in caught.value.message
    span = caught.value.span
    assert span is not None and span.file == str(file) and span.line == 3
    assert f"lanes: {lanes}"[span.column : span.end_column] == wrong


def test_mistakes_in_python_have_a_place(tmp_path: Path, specmodel: Specmodel) -> None:
    """The same mistakes in a spec are told before a search, with file, line and caret."""
    file = tmp_path / "mail.py"
    for part, message in (
        ('messages=("posts",)', 'lanes: "posts" is no set, bag or list of structs'),
        ('sender=("who",)', 'lanes: no message has a field "who" of type Node'),
        ('messages="post"', 'lanes: messages takes several paths: write messages=("post",)'),
        ("mesages=()", "unexpected keyword argument 'mesages'"),
    ):
        file.write_text(MAIL.replace('facts=("seen",)', part))
        ran = specmodel("check", f"{file}:drawn")
        assert ran.code == 2
        assert message in ran.err and "mail.py:3" in ran.err and "^^^" in ran.err
