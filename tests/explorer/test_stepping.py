"""Wherever one goes on the page, by whatever means, it shows the state of that place and no other.

What is shown is held against the trace file: its states and its action texts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

import specmodel
from specmodel.analysis.trace_files import design_of
from specmodel.explorer.export import exported
from specmodel.explorer.opening import open_target
from specmodel.explorer.values import change_json
from specmodel.results import Trace
from specmodel.traces.changes import changes
from specmodel.traces.itf_read import read_itf, states_of
from specmodel.traces.itf_write import itf_text
from specmodel.traces.notation import Notation
from specmodel.views.drawer import Drawer
from tests.docs.pages import ROOT
from tests.explorer.conftest import Open, Requests, Serve, at, recorded, shows

Shown = dict[str, Any]

TRACES = ["kafka-6880", "kafka-7415", "long walk", "raft-forgetful"]

STATES = 300

MINUS = "\N{MINUS SIGN}"
TIMES = "\N{MULTIPLICATION SIGN}"


@pytest.fixture(scope="module", params=TRACES)
def trace(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace that comes with specmodel, a walk of 300 states, or one with messages in flight."""
    if request.param in TRACES[:2]:
        return ROOT / "traces" / f"{request.param}.itf.json"
    if request.param == "raft-forgetful":
        return recorded(tmp_path_factory.mktemp("raft"), request.param, "one_leader")
    return long_walk(tmp_path_factory.mktemp("walk"))


@pytest.fixture(scope="module")
def wanted(trace: Path) -> list[Shown]:
    """What is to be shown at each place of the trace."""
    saved = read_itf(trace)
    design = design_of(saved, own_design(trace), {})
    states = states_of(saved, design.spec.domain)
    notation = Notation.of_spec(design.spec)
    drawer = Drawer(design.spec, notation)
    found: list[Shown] = []
    for index, (state, action) in enumerate(zip(states, saved.actions, strict=True)):
        before = states[index - 1] if index else None
        told = [change_json(c, notation) for c in changes(before, state)] if index else []
        found.append(
            {
                "heading": f"State {index + 1} after {action}" if index else "State 1 initial",
                "picture": drawn(drawer.picture(state, before, index + 1)),
                "changes": [[change["place"], change_text(change)] for change in told],
            }
        )
    return found


@pytest.fixture(params=["served", "exported"])
def page(
    request: pytest.FixtureRequest,
    trace: Path,
    opened: Open,
    serve: Serve,
    tmp_path: Path,
) -> Any:
    """The trace on a page that notes all that it shows, from a server or from a file."""
    reading = open_target(str(trace), {}, on=own_design(trace))
    if request.param == "served":
        return opened(serve(reading), script=NOTED)
    file = tmp_path / "trace.html"
    file.write_text(exported(reading, explored=0), encoding="utf-8")
    return opened(file.as_uri(), offline=True, script=NOTED)


class Walker:
    """Goes about on a page, and looks each time whether it shows what it should."""

    def __init__(self, page: Any, wanted: Sequence[Shown]) -> None:
        self.page = page
        self.wanted = wanted
        self.last = len(wanted)
        self.place = self.last

    def shown(self, place: int) -> Shown:
        """What is to be shown at a place."""
        return {"place": f"{place} / {self.last}", **self.wanted[place - 1]}

    def at(self, place: int) -> None:
        """Wait until the page shows this place, and all of it as it is in the trace."""
        from playwright.sync_api import TimeoutError as TimedOutError

        self.place = place
        wanted = self.shown(place)
        try:
            self.page.wait_for_function(
                "wanted => JSON.stringify(shown()) === wanted", arg=written(wanted)
            )
        except TimedOutError:
            assert self.page.evaluate("shown()") == wanted

    def press(self, key: str, to: int) -> None:
        """One press of a key."""
        self.page.keyboard.press(key)
        self.at(to)

    def walk(self, key: str, to: int) -> None:
        """Presses of a key, each when what the one before led to is shown as it should be."""
        by = 1 if to > self.place else -1
        places = range(self.place + by, to + by, by)
        wrong = self.page.evaluate(WALK, [key, [written(self.shown(place)) for place in places]])
        assert wrong is None
        self.at(to)

    def hold(self, key: str, to: int) -> None:
        """A key is held, and repeats faster than anything is drawn or loaded."""
        for _ in range(abs(to - self.place)):
            self.page.keyboard.down(key)
        self.page.keyboard.up(key)
        self.at(to)

    def click(self, part: str, to: int) -> None:
        """A click on a place that is in sight, in the timeline or in the list of steps."""
        self.page.locator(f"#{part}-{to}").click()
        self.at(to)

    def jump(self, to: int) -> None:
        """The address is changed to name another place."""
        self.addressed()
        self.page.evaluate("to => (location.hash = location.hash.replace(/\\d+(?=[?])/, to))", to)
        self.at(to)

    def addressed(self) -> None:
        """Wait until the address names the place: it follows steps with a pause."""
        self.page.wait_for_function("to => location.hash.includes(to)", arg=f"/{self.place}?")

    def around(self) -> None:
        """A few single steps both ways, and clicks on what is beside."""
        place = self.place
        for to in range(place - 1, max(0, place - 4), -1):
            self.press("ArrowLeft", to)
        for to in range(self.place + 1, min(self.last, place + 3) + 1):
            self.press("j", to)
        self.click("strip", max(1, self.place - 3))
        self.click("step", min(self.last, self.place + 2))

    def never_wrong(self) -> None:
        """At no moment was another state shown than that of the place."""
        for place, seen in self.page.evaluate("noted()"):
            assert set(seen) <= {written(self.shown(place))}


@pytest.fixture
def walker(page: Any, wanted: Sequence[Shown]) -> Walker:
    """Starts at the end of the trace."""
    found = Walker(page, wanted)
    found.at(found.last)
    return found


def test_one_key_at_a_time(walker: Walker) -> None:
    """From the last state to the first and back again, a state at a time."""
    walker.walk("ArrowLeft", 1)
    walker.walk("j", walker.last)
    walker.never_wrong()


def test_held_keys_clicks_and_jumps(walker: Walker) -> None:
    """Held keys and jumps go where nothing is loaded yet; single steps and clicks follow.

    The address names the last place in the end, also after more steps than browsers let it change.
    """
    walker.hold("k", max(1, walker.last - 40))
    walker.around()
    for place in (walker.last // 3, 2 * walker.last // 3, walker.last // 2 + 1):
        walker.jump(place)
        walker.around()
    walker.press("End", walker.last)
    walker.press("Home", 1)
    walker.around()
    walker.hold("ArrowRight", walker.last - 1)
    walker.never_wrong()
    walker.addressed()
    walker.page.reload()
    walker.at(walker.last - 1)
    walker.around()


def test_a_failed_request_is_made_again(opened: Open, serve: Serve, tmp_path: Path) -> None:
    """A state that could not be had is not shown as another one, and is asked for anew.

    The walk is long, so that its first state is not asked for beside the one shown at first.
    """
    trace = long_walk(tmp_path)
    page = opened(serve(open_target(str(trace), {}, on=own_design(trace))))
    requests = Requests(page, "**/api/frames?*")
    page.locator("state-view .picture").wait_for()
    requests.answer = lambda route: route.fulfill(status=422, json={"error": "no"})
    page.keyboard.press("Home")
    page.locator("state-view h2:has-text('State 1 initial')").wait_for()
    page.get_by_role("alert").wait_for()
    assert page.locator("state-view .picture").count() == 0
    requests.answer = None
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.locator("state-view .picture").wait_for()


def test_what_failed_is_told_until_it_is_there(opened: Open, serve: Serve, tmp_path: Path) -> None:
    """Steps that were asked for before come later, and do not hide that the state could not be had.

    The page said that it was loading, for ever.
    """
    trace = long_walk(tmp_path)
    page = opened(serve(open_target(str(trace), {}, on=own_design(trace))))
    requests = Requests(page, "**/api/*")
    held: list[Any] = []

    def some(route: Any) -> None:
        if "/spine?branch=t300&from=1&" in route.request.url:
            held.append(route)
        elif "/frames?branch=t300&from=1&" in route.request.url:
            route.fulfill(status=422, json={"error": "no"})
        else:
            route.continue_()

    requests.answer = some
    page.reload()
    while not held:
        page.wait_for_timeout(10)
    page.keyboard.press("Home")
    page.get_by_role("alert").wait_for()
    for route in held:
        route.continue_()
    page.wait_for_function("() => document.querySelector('state-view').store.step(1)")
    page.wait_for_timeout(200)  # what hid it came a picture later
    assert page.get_by_role("alert").is_visible()


def test_a_step_draws_what_it_changes(opened: Open, serve: Serve) -> None:
    """Of a list of many states a step draws two anew: one was selected, another one is now.

    Where all were drawn anew, a step took three times as long.
    """
    reading = open_target(str(ROOT / "traces" / "kafka-7415.itf.json"), {})
    page = opened(f"{serve(reading)}#/t{reading.start.length}/6")
    shows(page.locator("state-view h2"), "State 6 after")
    page.wait_for_function("!document.querySelector('.step-label').textContent.includes('…')")
    parts = ".strip-column, .step-row"
    page.evaluate("s => document.querySelectorAll(s).forEach((e) => (e.kept = true))", parts)
    count = page.locator(parts).count()
    page.keyboard.press("k")
    at(page, 5)
    kept = page.locator(parts).evaluate_all("all => all.filter((e) => e.kept).length")
    assert kept == count - 4
    numbers = page.locator(".step-number").all_inner_texts()
    assert numbers == [str(n) for n in range(1, len(numbers) + 1)]


def own_design(trace: Path) -> str:
    """The file of the walk's design; the other traces name theirs."""
    return str(trace.with_name("shelf.py")) if trace.name == "walk.itf.json" else ""


def long_walk(folder: Path) -> Path:
    """A behaviour of 300 states, in which no two that follow each other are the same."""
    (folder / "shelf.py").write_text(SHELF)
    design = specmodel.load(folder / "shelf.py")
    reading: Any = open_target(str(folder / "shelf.py"), {})
    chance = Random(7)
    states = [next(reading.rival.interpreter.initial())]
    steps: list[Any] = []
    while len(states) < STATES:
        binding, state = chance.choice(list(reading.rival.successors(states[-1])))
        states.append(state)
        steps.append(reading.rival.interpreter.step(binding))
    file = folder / "walk.itf.json"
    file.write_text(itf_text(design, Trace(tuple(states), tuple(steps))), encoding="utf-8")
    return file


def drawn(picture: Any) -> list[Any]:
    """The texts of a drawing: of each actor its name, log and facts; messages; what they share."""
    left_out = ("isr", "leader", "members")
    rows = [
        [
            row.actor,
            [cell.text for cell in row.cells],
            [fact_text(fact) for fact in row.facts if fact.kind not in left_out],
        ]
        for row in picture.rows
    ]
    messages = [
        [
            ", ".join(flight.sources),
            f"→ {', '.join(flight.targets)}",
            flight.text + (f" {TIMES}{flight.count}" if flight.count > 1 else ""),
            flight.count > flight.before,
        ]
        for flight in picture.messages or ()
    ]
    return [rows, messages, [[fact.title, fact_text(fact)] for fact in picture.status]]


def fact_text(fact: Any) -> str:
    """A value, and what it was."""
    return f"{fact.before} → {fact.value}" if fact.changed else fact.value


def change_text(change: Any) -> str:
    """A change in words, as changes.js has it."""
    if change["kind"] == "members":
        signs = [*(f"+{n}" for n in change["gained"]), *(f"{MINUS}{n}" for n in change["lost"])]
        return " ".join([*signs, f"→ {change['after']}"])
    if change["kind"] == "appended":
        return " ".join(["appended", *change["gained"]])
    if change["kind"] == "truncated":
        return " ".join([f"truncated to {change['kept']}, losing", *change["lost"]])
    return f"{change['before']} → {change['after']}"


def written(shown: Shown) -> str:
    """As the page's own JSON has it."""
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))


WALK = """async ([key, places]) => {
  for (const wanted of places) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const begun = performance.now();
    while (JSON.stringify(shown()) !== wanted) {
      if (performance.now() - begun > 60000) return [JSON.stringify(shown()), "not", wanted];
      await new Promise(requestAnimationFrame);
    }
  }
  return null;
}"""

NOTED = """
const words = (e) => e.textContent.replace(/\\s+/g, " ").trim();
const all = (root, selector, take) => [...root.querySelectorAll(selector)].map(take);
const pair = (row) => [words(row.children[0]), words(row.children[1])];
window.shown = () => {
  const view = document.querySelector("state-view");
  const heading = view?.querySelector("h2");
  if (!heading) return null;
  const rows = all(view, ".lanes tbody tr:not(.cursor-row)", (row) => [
    words(row.querySelector(".actor-name")),
    all(row, ".cell", words),
    all(row, "td:not(.lane-cell):not(.member)", words),
  ]);
  const messages = all(view, ".messages tbody tr", (row) => [
    ...[...row.children].map(words),
    row.classList.contains("changed-row"),
  ]);
  const titles = all(view, ".status dt", words);
  const values = all(view, ".status dd", words);
  return {
    place: words(document.querySelector(".place")),
    heading: words(heading),
    picture: [rows, messages, titles.map((title, i) => [title, values[i]])],
    changes: all(view, ".changes tr", pair),
  };
};
const seen = new Map();
window.noted = () => [...seen].map(([place, all]) => [place, [...all]]);
// What is shown after each change of the page; left out is what says that it is not all there yet.
new MutationObserver(() => {
  const now = window.shown();
  const place = Number.parseInt(now?.place);
  if (!place) return;
  const partial = !document.querySelector("state-view .fold") || now.heading === `State ${place}`;
  if (partial && now.heading.split(" ")[1] === String(place)) return;
  if (!seen.has(place)) seen.set(place, new Set());
  seen.get(place).add(JSON.stringify(now));
}).observe(document, { childList: true, subtree: true, characterData: true });
"""
"""Notes what the page shows at any moment, by place."""

SHELF = """
from enum import Enum, auto
from typing import Annotated

from specmodel.lang import Capacity, Lanes, Range, ScalarSet, Set, Spec, Struct
from specmodel.lang import action, init, require

class Shelf(ScalarSet, size=3, prefix="s"):
    "Where things stand."

class Thing(Struct):
    size: Annotated[int, Range(0, 9)]

class Store(Struct):
    log: dict[Shelf, Annotated[list[Thing], Capacity(4)]]
    seen: dict[Shelf, Set[Shelf]]
    count: dict[Shelf, Annotated[int, Range(0, 9)]]
    keeper: Shelf | None

@init
def empty() -> Store:
    return Store(
        log={s: [] for s in Shelf},
        seen={s: set() for s in Shelf},
        count={s: 0 for s in Shelf},
        keeper=None,
    )

@action
def put(s: Store, at: Shelf, size: Annotated[int, Range(0, 9)]) -> None:
    require(len(s.log[at]) < 4)
    s.log[at].append(Thing(size))
    s.count[at] = size

@action
def clear(s: Store, at: Shelf, left: Annotated[int, Range(0, 3)]) -> None:
    require(left < len(s.log[at]))
    del s.log[at][left:]

@action
def keep(s: Store, by: Shelf) -> None:
    require(s.keeper != by)
    s.keeper = by
    s.seen[by] = s.seen[by] ^ {by}

@action
def look(s: Store, by: Shelf, at: Shelf) -> None:
    s.seen[by] = s.seen[by] ^ {at}

shelf = Spec(
    state=Store,
    init=empty,
    actions=[put, clear, keep, look],
    lanes=Lanes(
        actor=Shelf, log="log", cell="t{size}", facts=("count", "seen"), status=("keeper",)
    ),
)
"""
