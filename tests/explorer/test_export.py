"""The one file: nothing missing, nothing loaded, nothing run that is not the page's own."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specmodel.explorer.bundle import STARTS, one_script, page_files
from specmodel.explorer.export import document, exported
from tests.conftest import Specmodel

Read = Callable[..., Any]

MOST_BYTES = 500_000


def test_modules_share_no_names() -> None:
    """In one file all modules are one scope: a name declared twice would break the page."""
    declared = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", re.M)
    modules = [text for name, text in page_files().items() if name.endswith(".js")]
    counted = Counter(name for text in modules for name in declared.findall(text))
    assert [name for name, count in counted.items() if count > 1] == []


def test_no_module_is_left_out() -> None:
    """The scripts have every module, and no import or export is left in them."""
    script = "".join(one_script(page_files(), start) for start in STARTS.values())
    assert not re.search(r"^(import|export)\b", script, re.M)
    for name, text in page_files().items():
        if name.endswith(".js"):
            assert text.rstrip().splitlines()[-1] in script


def test_nothing_is_made_from_markup() -> None:
    """No module turns text into markup or code, and none keeps a style in markup."""
    refused = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|"
        r"createContextualFragment|DOMParser|setHTML|srcdoc|javascript:"
    )
    for name, text in page_files().items():
        assert not refused.search(text), name


def test_document_is_all_of_the_trace(read: Read, first_try: Path) -> None:
    """Every state in full, the reason for the violation, and the values of watched expressions."""
    found = document(read(first_try), ["len(log[r3])"])
    assert len(found["frames"]) == len(found["spine"]["steps"]) == 12
    assert list(found["why"]) == ["12"]
    assert found["watches"]["len(log[r3])"][-1] == "1"


def test_size(read: Read, first_try: Path) -> None:
    """A trace of 30 states stays well below half a megabyte."""
    reading = read(first_try)
    text = exported(reading)
    data = json.dumps(document(reading), separators=(",", ":"))
    assert len(text.encode()) + (30 / 12 - 1) * len(data.encode()) < MOST_BYTES


def test_hostile_text_stays_text(hostile: Path, read: Read) -> None:
    """What a trace says cannot end the element that holds it."""
    text = exported(read(hostile))
    assert text.count("<script") == text.count("</script>") == 2
    assert "<img" not in text
    assert "<b>hostile" not in text


def test_command(specmodel: Specmodel, first_try: Path, tmp_path: Path) -> None:
    """--export writes the file and starts no server."""
    file = tmp_path / "trace.html"
    ran = specmodel("explore", first_try, "--export", file, "--watch", "len(log[r1])")
    assert (ran.code, ran.out) == (0, "")
    assert "is written" in ran.err
    assert "<title>kip320-first-try" in file.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["kip320", "--states", "5"], "--states is for a file: give --export too"),
        (["no-such-design"], "no design is called"),
        (["missing.itf.json"], "cannot read"),
        (["kip320", "--on", "kip279"], "--on is for a trace"),
        (["kip320", "--export", "no/such/folder/x.html"], "there is no folder"),
    ],
)
def test_wrong_use(
    specmodel: Specmodel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    said: str,
) -> None:
    """Each mistake has its message and exit code 2."""
    monkeypatch.chdir(tmp_path)
    ran = specmodel("explore", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_wrong_watch(specmodel: Specmodel, first_try: Path, tmp_path: Path) -> None:
    """A wrong expression is shown with the place that is wrong, before a server starts."""
    for more in (["--export", tmp_path / "x.html"], ["--no-open"]):
        ran = specmodel("explore", first_try, "--watch", "len(lag[r1])", *more)
        assert ran.code == 2
        assert "lag is not defined" in ran.err


def test_deeply_nested_file(specmodel: Specmodel, tmp_path: Path) -> None:
    """A file nested beyond all reason is refused in words."""
    file = tmp_path / "deep.itf.json"
    file.write_text('{"states": [{"x": ' + "[" * 100_000 + "]" * 100_000 + "}]}")
    ran = specmodel("explore", file, "--no-open")
    assert ran.code == 2
    assert "nested too deeply" in ran.err
