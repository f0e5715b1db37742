"""The server: what it answers, and all that it refuses."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from specmodel.engines.base.driver import Driver
from specmodel.explorer.branch import Branch
from specmodel.explorer.bundle import page_files
from specmodel.explorer.searching import check_from
from specmodel.traces.itf_read import read_itf
from tests.explorer.conftest import TOKEN, Client, Serve

Read = Callable[..., Any]

SEARCH = {"branch": "t9", "seconds": 5}


@pytest.fixture(scope="module")
def client(read: Read, loss: Path, serve: Serve) -> Client:
    """Requests to a server that shows a trace."""
    return Client.of(serve(read(loss)))


def test_the_page(client: Client) -> None:
    """The page and its modules, under a policy that runs nothing else."""
    page = client.get("/")
    assert page.headers["Content-Type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    for name in page_files():
        assert client.get(f"/page/{name}").text == page_files()[name]


def test_answers(client: Client) -> None:
    """The page's questions, in JSON."""
    about = client.get("/api/about").json()
    assert (about["design"], about["live"]) == ("truncate-to-hw", True)
    spine = client.get("/api/spine", {"branch": "t9", "from": 1, "count": 99}).json()
    assert len(spine["steps"]) == 9
    assert client.get("/api/rivals").json()[0]["near"]


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8123", "127.0.0.1", "127.0.0.1:80", "localhost.evil:8123", ""],
)
def test_foreign_hosts(client: Client, host: str) -> None:
    """A name that someone made mean this machine is not answered, whatever is asked for."""
    for path in ("/", "/api/about", "/page/main.js"):
        assert client.get(path, Host=host).status == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
        {"Origin": "http://127.0.0.1:9"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_other_sites(client: Client, headers: dict[str, str]) -> None:
    """Another site can neither ask for a search nor read anything."""
    assert client.post("/api/check", SEARCH, **headers).status == 403
    assert client.get("/api/about", None, **headers).status == 403


@pytest.mark.parametrize("sent", ["", "another", TOKEN[:-1], f"{TOKEN}x"])
def test_strangers(client: Client, sent: str) -> None:
    """Who does not have the token of the address gets nothing but the way to it."""
    stranger = Client(client.host)
    given = {"Authorization": f"token {sent}", "Cookie": f"{cookie_of(client)}={sent}"}
    for headers in ({}, *({name: value} for name, value in given.items())):
        for path in ("/", f"/?token={sent}", "/page/main.js", "/api/about", "/api/save?branch=t9"):
            answer = stranger.get(path, None, **headers)
            assert answer.status == 403
            assert "open the address that specmodel explore printed" in answer.text
            assert answer.headers["Set-Cookie"] is None
        assert stranger.post("/api/check", SEARCH, **headers).status == 403


def test_a_token_becomes_a_cookie(client: Client) -> None:
    """The address that was printed leads to one without a token, which may be passed on.

    The cookie is not for scripts, and has the port in its name: other servers of this machine get
    it as well.
    """
    browser = Client(client.host)
    first = browser.get("/", {"token": TOKEN}, Sec_Fetch_Site="cross-site")
    assert (first.status, first.headers["Location"]) == (303, "/")
    cookie = first.headers["Set-Cookie"]
    assert cookie.startswith(f"{cookie_of(client)}={TOKEN};")
    assert "httponly" in cookie.lower()
    assert "samesite=lax" in cookie.lower()
    sent = {"Cookie": f"other=1; {cookie_of(client)}={TOKEN}"}
    for path in ("/", "/page/main.js", "/api/about"):
        assert browser.get(path, None, **sent).status == 200


def cookie_of(client: Client) -> str:
    """The name of a server's cookie."""
    return f"specmodel-{client.host.rpartition(':')[2]}"


def test_a_link_from_anywhere(client: Client) -> None:
    """A kept address may be followed from another site; no site can have the page in a frame."""
    page = client.get("/", None, Sec_Fetch_Site="cross-site")
    assert page.status == 200
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]


def test_forms_of_other_kinds(client: Client) -> None:
    """What a plain form can send, without a question to the server first, is refused."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        sent = client.post("/api/check", SEARCH, Content_Type=kind)
        assert sent.status == 415


@pytest.mark.parametrize(
    "path",
    [
        "/page/../server.py",
        "/page/..%2fserver.py",
        "/page/%2e%2e/%2e%2e/__init__.py",
        "/page//etc/passwd",
        "/page/%2fetc%2fpasswd",
        "/../../etc/passwd",
        "/page/",
        "/page/style.css%00.js",
        "/api/",
        "/api/save/../about",
    ],
)
def test_only_its_own_files(client: Client, path: str) -> None:
    """No path leads to a file that is not of the page."""
    assert client.get(path).status == 404


def test_large_bodies(client: Client) -> None:
    """A body is refused for the length it says, and for the length it has."""
    assert client.post("/api/check", {"branch": "t9" * 100_000}).status == 413
    assert client.post("/api/check", (b"x" * 10_000 for _ in range(20))).status == 413


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b'{"branch": 3}', b"[" * 30_000])
def test_bodies_that_are_nothing(client: Client, body: bytes) -> None:
    """A wrong body is an answer in words, not a failure of the server."""
    sent = client.post("/api/check", body)
    assert sent.status == 422
    assert sent.json()["error"]


@pytest.mark.parametrize(
    "query",
    [
        "spine",
        "spine?branch=t9&from=0",
        "spine?branch=t9&from=x",
        "spine?branch=t9&from=99999999999",
        "spine?branch=<b>&from=1",
        "frames?branch=t10&from=1",
        "why?branch=t9",
        "moves?branch=t9.0&state=10",
        "reasons?branch=t9&state=1&action=nothing",
        "compare?branch=t9&with=no-such-design",
        "watch?branch=t9&from=1&text=__import__('os')",
        "save?branch=x",
    ],
)
def test_wrong_questions(client: Client, query: str) -> None:
    """A question that makes no sense is told why."""
    answer = client.get(f"/api/{query}")
    assert answer.status == 422
    assert answer.json()["error"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("all(a == a for a in range(100000000))", "all(a == a for a in range(100000000))"),
        ("len(log[r1]) + len(list(range(9000000)))", "list(range(9000000))"),
    ],
)
def test_expressions_that_are_too_large(client: Client, text: str, part: str) -> None:
    """They end with the part that is too large; the server goes on answering."""
    found = client.get("/api/watch", {"branch": "t9", "from": 1, "count": 9, "text": text})
    assert found.status == 422
    first, quoted, caret, *_ = found.json()["error"].splitlines()
    assert "this takes more than 100,000 steps in one state" in first
    start, end = caret.index("^"), len(caret)
    assert quoted[start:end] == part
    assert client.get("/api/about").status == 200


def test_values_that_take_long_come_in_parts(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer has the values that are there after a while, and one at least."""
    monkeypatch.setattr("specmodel.explorer.reading.LONGEST_WATCH", -1.0)
    asked = {"branch": "t9", "count": 9, "text": "len(log[r1])"}
    parts = [client.get("/api/watch", {**asked, "from": n}).json() for n in range(1, 10)]
    assert [len(part) for part in parts] == [1] * 9


def test_questions_side_by_side(client: Client) -> None:
    """Many at once are answered as they are one after the other."""
    first = {"from": 1, "count": 50}
    sample = {"branch": "t1", "count": 5, "length": 20, "seed": 5}
    ways = [found["branch"] for found in client.get("/api/samples", sample).json()]
    questions = [
        ("/api/samples", sample),
        ("/api/samples", {**sample, "seed": 6}),
        ("/api/compare", {"branch": "t9", "with": "kip320"}),
        ("/api/compare", {"branch": "t8", "with": "kip279"}),
        *(("/api/moves", {"branch": f"t{n}", "state": n}) for n in range(1, 10)),
        *(
            (f"/api/{kind}", {"branch": way, **first})
            for way in ways
            for kind in ("spine", "frames")
        ),
        *(("/api/watch", {"branch": "t9", "text": f"len(log[r{n}])", **first}) for n in (1, 2)),
    ]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda question: client.get(*question).json(), questions * 2))
    assert found == [client.get(*question).json() for question in questions] * 2


def test_no_file_is_run(client: Client, tmp_path: Path) -> None:
    """To compare with, there are designs by name; a path to a file does not run it."""
    file = tmp_path / "evil.py"
    file.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    for target in (file, f"{file}:spec"):
        asked = {"branch": "t9", "with": target, "from": 1}
        assert client.get("/api/compare", asked).status == 422
        assert client.get("/api/rival", asked).status == 422
    assert not (tmp_path / "ran").exists()


def test_check_from_a_state(client: Client) -> None:
    """A search from the last state but one finds the violation one step on, as a branch."""
    found = client.post("/api/check", {"branch": "t8", "seconds": 20}).json()
    weak = next(p for p in found["properties"] if p["name"] == "weak_isr")
    assert (found["from"], weak["verdict"], weak["steps"]) == (8, "violated", 1)
    assert (found["levels"][0], sum(found["levels"])) == (1, found["distinct"])
    end = client.get("/api/spine", {"branch": weak["branch"], "from": 9}).json()
    names = [p["name"] for p in client.get("/api/about").json()["properties"]]
    assert end["steps"][0]["truths"][names.index("weak_isr")] == "0"


def test_check_that_is_stopped(read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the design is compiled, too, it is an answer and not the end of the server."""
    monkeypatch.setenv("SPECMODEL_CACHE", str(tmp_path))
    monkeypatch.setattr(Driver, "progress_every", 0)
    stopping = Event()
    stopping.set()
    found = check_from(read("kip966-loose"), Branch.parse("i0"), 20, stopping)
    assert found == {"failure": "the search was stopped before it began", "branch": None}


def test_samples(client: Client) -> None:
    """Some behaviours that differ: each can be done, and the same seed gives the same."""
    query = {"branch": "t1", "count": 5, "length": 12, "seed": 3}
    found = client.get("/api/samples", query).json()
    assert client.get("/api/samples", query).json() == found
    assert len({sample["branch"] for sample in found}) > 3
    assert len({name for sample in found for name in sample["actions"]}) > 6
    for sample in found:
        steps = client.get("/api/spine", {"branch": sample["branch"], "from": 1, "count": 50})
        assert len(steps.json()["steps"]) == 1 + sum(sample["actions"].values())
    assert client.get("/api/samples", {**query, "count": 1000}).status == 422


def test_save(client: Client, tmp_path: Path) -> None:
    """A branch is saved as a trace that names its property, and as a test that passes."""
    saved = client.get("/api/save", {"branch": "t9", "as": "itf"})
    assert 'filename="truncate-to-hw.itf.json"' in saved.headers["Content-Disposition"]
    file = tmp_path / "saved.itf.json"
    file.write_text(saved.text)
    assert read_itf(file).property == "weak_isr"
    test = client.get("/api/save", {"branch": "t9", "as": "test"}).text
    names: dict[str, Any] = {}
    exec(compile(test, "saved test", "exec"), names)
    names["test_behaviour_of_truncate_to_hw"]()
    broken = test.replace('"write(leader=r2)",', '"write(leader=r1)",')
    exec(compile(broken, "saved test", "exec"), names)
    with pytest.raises(AssertionError, match="cannot happen"):
        names["test_behaviour_of_truncate_to_hw"]()


def test_reading_only(read: Read, hostile: Path, serve: Serve) -> None:
    """Without a design there is nothing to drive, and the server says so."""
    client = Client.of(serve(read(hostile)))
    assert client.get("/api/about").json()["live"] is False
    assert "without its design" in client.get("/api/rivals").json()["error"]
    assert client.post("/api/check", SEARCH).status == 422
