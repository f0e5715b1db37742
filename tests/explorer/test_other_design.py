"""Other constants and another design, chosen in the page."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specmodel.explorer.server import MOST_CHOSEN, Application
from tests.explorer.conftest import DESKTOP, PHONE, Client, Open, Serve, at, counts, shows
from tests.explorer.test_accessible import violations

Read = Callable[..., Any]

OF = "two-phase-commit participants=2"
MODULE = Path(__file__).parents[1] / "tla/modules/Queue.tla"
LARGE = "kip320 replicas=3 log_size=3 max_records=3 max_leader_epoch=3"


@pytest.fixture
def client(read: Read, serve: Serve) -> Client:
    """A server that has opened a design."""
    return Client.of(serve(read("two-phase-commit")))


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_other_constants(opened: Open, read: Read, serve: Serve, size: dict[str, int]) -> None:
    """The page opens on the verdicts at other constants; its link and Back keep which."""
    first = serve(read("two-phase-commit"))
    page = opened(first, viewport=size)
    page.get_by_role("button", name="Change …").click()
    dialog = page.get_by_role("dialog")
    field = dialog.locator("input[name=participants]")
    field.fill("2")
    assert violations(page) == []
    dialog.get_by_role("button", name="What it costs").click()
    shows(dialog, "A state has", "There are 56 states")
    dialog.get_by_role("button", name="Open").click()
    page.wait_for_function("() => document.title && !document.querySelector('dialog[open]')")
    shows(page.locator("verdicts-panel"), "56 states")
    page.locator("#tab-moves").click()
    page.locator("moves-panel button.move").first.click()
    at(page, 2)
    page.wait_for_function("() => location.hash.includes('participants%3D2')")
    page.reload()
    at(page, 2)
    link = page.url
    assert page.evaluate("document.querySelector('spec-explorer').store.of") == OF
    page.goto(first)
    shows(page.locator("header"), "participants=3")
    page.goto(link)
    at(page, 2)
    shows(page.locator("header"), "participants=2")


def test_another_design(opened: Open, read: Read, first_try: Path, serve: Serve) -> None:
    """From a trace to a design of its list: at its own constants, with their limits."""
    page = opened(serve(read(first_try)))
    page.get_by_role("button", name="Change …").click()
    dialog = page.get_by_role("dialog")
    shows(dialog, "The trace stays where it is")
    dialog.locator("option[value=two-phase-commit]").wait_for(state="attached")
    dialog.locator("select").select_option("two-phase-commit")
    field = dialog.locator("input[name=participants]")
    field.wait_for()
    counts(dialog.locator("input"), 1)
    field.fill("99")
    dialog.get_by_role("button", name="Open").click()
    shows(dialog, "participants = 99 is outside 1..8")
    field.fill("2")
    dialog.get_by_role("button", name="Open").click()
    shows(page.locator("verdicts-panel"), "56 states")
    shows(page.locator("h1"), "two-phase-commit")
    page.go_back()
    at(page, 12)
    shows(page.locator("h1"), "kip320-first-try")


def test_every_question_is_about_the_chosen_design(client: Client) -> None:
    """Steps, verdicts, checks and files are those of the design that `of` names."""
    other = client.get("/api/about", {"of": OF}).json()
    assert (other["of"], other["trace"]) == (OF, None)
    asked = {"branch": "i0", "from": 1, "state": 1}
    for question in ("frames", "moves"):
        own = client.get(f"/api/{question}", asked).json()
        assert client.get(f"/api/{question}", {**asked, "of": OF}).json() != own
    while (found := client.get("/api/verdicts", {"of": OF}).json())["running"]:
        time.sleep(0.02)
    assert found["distinct"] == 56
    checked = client.post("/api/check", {"branch": "i0", "seconds": 5, "of": OF}).json()
    assert checked["distinct"] == 56
    saved = client.get("/api/save", {"branch": "i0", "as": "itf", "of": OF})
    assert '["p2", "working"]' in saved.text
    assert "p3" not in saved.text


@pytest.mark.parametrize(
    ("of", "said"),
    [
        ("no-such-design", "no design is called"),
        ("/etc/passwd", "no design is called"),
        ("models/kip320.yaml", "no design is called"),
        ("two-phase-commit participants=x", "is no constant"),
        ("two-phase-commit participants", "is no constant"),
        ("two-phase-commit participants=99", "participants = 99 is outside 1..8"),
        ("two-phase-commit replicas=2", "no constant is called"),
        ("x" * 3000, "no design is called"),
    ],
)
def test_wrong_names(client: Client, of: str, said: str) -> None:
    """A request for what cannot be opened says why, and opens no file."""
    for path, asked in (
        ("about", {"of": of}),
        ("constants", {"design": of}),
        ("cost", {"design": of}),
    ):
        answer = client.get(f"/api/{path}", asked)
        assert answer.status == 422
        assert said in answer.json()["error"]


def test_a_module(read: Read, serve: Serve) -> None:
    """Of a TLA+ module those constants can be chosen that are integers; its search has a cost."""
    client = Client.of(serve(read(MODULE)))
    assert [one["name"] for one in client.get("/api/constants", {"design": "Queue"}).json()] == [
        "Most"
    ]
    about = client.get("/api/about", {"of": "Queue Most=1"}).json()
    assert about["of"] == "Queue Most=1"
    assert {one["name"]: one["value"] for one in about["constants"]}["Most"] == "1"
    costs = [client.get("/api/cost", {"design": f"Queue Most={most}"}).json() for most in (1, 2)]
    assert [(cost["bits"], cost["complete"]) for cost in costs] == [(None, True)] * 2
    assert costs[0]["states"] < costs[1]["states"]


def test_few_are_kept(read: Read) -> None:
    """The server forgets the design not asked for the longest, and opens it again when asked."""
    application = Application(read("two-phase-commit"))
    names = [f"two-phase-commit participants={n}" for n in (1, 2, 4, 5, 6)]
    for name in names:
        application._of(name)  # pyright: ignore[reportPrivateUsage]
    assert len(names) == MOST_CHOSEN + 1
    assert list(application.chosen) == names[1:]
    application._of(names[0])  # pyright: ignore[reportPrivateUsage]
    assert list(application.chosen) == [*names[2:], names[0]]


def test_the_search_of_another_design_gives_way(client: Client) -> None:
    """Opening a design ends a long search of another; that begins again when it is asked for."""
    client.get("/api/about", {"of": LARGE})
    while not client.get("/api/verdicts", {"of": LARGE}).json()["distinct"]:
        time.sleep(0.05)
    client.get("/api/about", {"of": OF})
    began = time.monotonic()
    while (found := client.get("/api/verdicts", {"of": OF}).json())["running"]:
        assert time.monotonic() - began < 30
        time.sleep(0.05)
    assert found["distinct"] == 56
    assert client.get("/api/verdicts", {"of": LARGE}).json()["running"]
    client.post("/api/stop", {})


def test_the_cost_of_a_large_design(client: Client) -> None:
    """A search that is not done in its seconds forecasts the rest."""
    found = client.get("/api/cost", {"design": LARGE}).json()
    for _ in range(5):  # a busy machine searches too few levels in these seconds to tell
        if found["likely"] is None:
            found = client.get("/api/cost", {"design": LARGE}).json()
    assert not found["complete"]
    least, likely, most = found["likely"]
    assert found["states"] < least < likely < most
