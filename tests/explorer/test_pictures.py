"""Pictures as a browser shows them: nothing lies on anything else, in the reader's colours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel.design import Design
from specmodel.graphs.dot import dot_text
from specmodel.graphs.render import converted, layout
from specmodel.graphs.requests import Wanted, sequence_picture, states_graph, trace_picture
from specmodel.graphs.sequence import mermaid
from specmodel.graphs.sequence_svg import chart_svg
from specmodel.results import PropertyResult

LIGHT = Path(__file__).with_name("light.py")

Show = Callable[..., Any]


@pytest.fixture
def show(chromium: Any, tmp_path: Path) -> Iterator[Show]:
    """Shows a picture in the browser."""
    contexts: list[Any] = []

    def open_picture(content: bytes, scheme: str = "light") -> Any:
        file = tmp_path / f"{len(contexts)}.svg"
        file.write_bytes(content)
        contexts.append(chromium.new_context(color_scheme=scheme))
        page = contexts[-1].new_page()
        page.goto(file.as_uri())
        return page

    yield open_picture
    for context in contexts:
        context.close()


def found(target: str, name: str) -> tuple[Design, PropertyResult]:
    """A counterexample."""
    design = specmodel.load(target)
    return design, specmodel.check(design, properties=[name])[name]


def traced(target: str, name: str) -> bytes:
    return layout(dot_text(trace_picture(*found(target, name))), "svg")


def projected(design: Design, *by: str) -> bytes:
    return layout(dot_text(states_graph(design, Wanted(by=by))), "svg")


PICTURES: dict[str, Callable[[], bytes]] = {
    "trace": lambda: traced("two-phase-commit-impatient", "agreement"),
    "lasso": lambda: traced(f"{LIGHT}:light", "settles"),
    "stays": lambda: traced(f"{LIGHT}:unpromised", "shines"),
    "projection": lambda: projected(
        specmodel.load("two-phase-commit-impatient"), "decision", "len(heard)"
    ),
    "crowded": lambda: projected(specmodel.load("kip320", replicas=2), "quorum.epoch", "next_id"),
}


@pytest.fixture(scope="module", params=PICTURES)
def picture(request: pytest.FixtureRequest) -> bytes:
    return PICTURES[request.param]()


def test_no_label_lies_on_an_edge(picture: bytes, show: Show) -> None:
    """No line of an edge passes through a text, and all texts are within the picture."""
    page = show(picture)
    assert page.evaluate(CROSSED) == []
    assert page.evaluate(OUTSIDE) == []


def test_one_font(picture: bytes, show: Show) -> None:
    """Texts have one font, in which places are reckoned: what is drawn is as wide as that."""
    fonts = show(picture).evaluate(
        """() => [...new Set([...document.querySelectorAll("text")].map((text) =>
            getComputedStyle(text).fontFamily))]"""
    )
    assert len(fonts) == 1 and "Mono" in fonts[0]
    sequence = converted(chart_svg(sequence_picture(*found(f"{LIGHT}:light", "settles"))), "svg")
    assert b"Helvetica" not in sequence and sequence.count(b"font-family") == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_readers_colours(picture: bytes, show: Show, scheme: str) -> None:
    """The ground is light or dark as the reader's device is, and texts have contrast with it."""
    sequence = converted(chart_svg(sequence_picture(*found(f"{LIGHT}:light", "settles"))), "svg")
    for shown in (picture, sequence):
        ground, weakest = show(shown, scheme).evaluate(GROUND)
        assert (ground > 0.5) == (scheme == "light")
        assert weakest >= 4.5


def test_a_lasso_has_its_loop_and_its_claim(show: Show) -> None:
    """The cycle is framed, with the property that the behaviour breaks; no state is blamed."""
    design, held = found(f"{LIGHT}:light", "settles")
    graph = trace_picture(design, held)
    assert held.trace is not None and held.trace.loop == 1
    assert graph.cycle == ("2", "3") and not any(node.violating for node in graph.nodes)
    back = graph.edges[-1]
    assert (back.source, back.target, back.labels) == ("3", "2", ("switch_off()",))
    texts = show(layout(dot_text(graph), "svg")).locator("text").all_text_contents()
    assert "✗ settles is false of this behaviour" in texts and "for ever" in texts
    assert not any("violating" in text for text in texts)


def test_a_behaviour_that_stays_has_a_loop() -> None:
    """Where nothing changes any more, an edge leads from the last state to itself."""
    design, held = found(f"{LIGHT}:unpromised", "shines")
    graph = trace_picture(design, held)
    last = graph.nodes[-1].id
    assert graph.cycle == (last,)
    edge = graph.edges[-1]
    assert (edge.source, edge.target, edge.back) == (last, last, True)
    assert "nothing changes any more" in dot_text(graph)
    assert "back to" in chart_svg(sequence_picture(design, held))


def test_a_chart_has_the_step_that_returns(show: Show) -> None:
    """The step from the end of a cycle to its start is the last event, and names where it leads."""
    drawn = sequence_picture(*found(f"{LIGHT}:light", "settles"))
    texts = show(converted(chart_svg(drawn), "svg")).locator("text").all_text_contents()
    assert "→2" in texts and "switch_off()" in texts
    assert "✗ settles is false of this behaviour" in texts
    inside = mermaid(drawn).split("loop for ever")[1].split("end")[0]
    assert "3. switch_on()" in inside and "→2. switch_off()" in inside


CROSSED = """() => {
  const letters = (text) => {
    const box = text.getBBox();
    const [first, last] = [/\\S/, /\\s*$/].map((where) => text.textContent.search(where));
    const one = box.width / text.textContent.length;
    const [left, right] = [box.x + first * one, box.x + last * one];
    return { text, left, right, top: box.y, below: box.y + box.height };
  };
  const boxes = [...document.querySelectorAll("g.edge text, g.node text")].map(letters);
  const crossed = [];
  for (const path of document.querySelectorAll("g.edge path")) {
    for (let at = 0; at <= path.getTotalLength(); at += 1) {
      const { x, y } = path.getPointAtLength(at);
      for (const { text, left, right, top, below } of boxes) {
        if (x > left && x < right && y > top && y < below) crossed.push(text.textContent);
      }
    }
  }
  return [...new Set(crossed)];
}"""
"""Texts through which the line of an edge passes."""

OUTSIDE = """() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  const out = ({ left, right, top, bottom }) =>
    left < 0 || top < 0 || right > width || bottom > height;
  const texts = [...document.querySelectorAll("text")];
  return texts.filter((text) => out(text.getBoundingClientRect())).map((text) => text.textContent);
}"""
"""Texts that are cut off at the edge of the picture."""

GROUND = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const part = (v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const fill = (element) => light(rgb(getComputedStyle(element).fill));
  const ground = fill(document.querySelector("polygon, rect"));
  const ratios = [...document.querySelectorAll("text")].map((text) => {
    const pair = [fill(text), ground].sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05);
  });
  return [ground, Math.min(...ratios)];
}"""
"""How light the ground is, and the least contrast of a text with it."""
