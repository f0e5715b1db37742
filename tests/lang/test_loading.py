"""Loading: every load is an instance of its own, and mistakes in a file are pointed at."""

from __future__ import annotations

import gc
import pickle
import sys
import weakref
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from specmodel.errors import SpecError, UsageError
from specmodel.ir.printer import render
from specmodel.lang.loading import load_module
from tests.written import HEADER_LINES, written

TEXT = """
most = constant("most", 2, low=0, high=9)

class State(Struct):
    at: Annotated[int, Range(0, most)]

@init
def zero() -> State:
    return State(0)

@action
def step(s: State) -> None:
    s.at += 1

spec = Spec(state=State, init=zero, actions=[step])
"""


def test_bindings_live_side_by_side(tmp_path: Path) -> None:
    """Two bindings of one file share nothing: no constants, no classes, no domains."""
    file = written(tmp_path, TEXT)
    small, large = load_module(file, {"most": 1}), load_module(file, {"most": 8})
    assert small.spec("spec").domain.size == 2
    assert large.spec("spec").domain.size == 9
    assert load_module(file).spec("spec").domain.size == 3
    assert small.spec("spec").state is not large.spec("spec").state


def test_edited_file_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A designer edits and checks again in one session, within the clock's resolution even."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file = written(tmp_path, TEXT)
    assert load_module(file).spec("spec").domain.size == 3
    written(tmp_path, TEXT.replace('"most", 2', '"most", 4'))
    assert load_module(file).spec("spec").domain.size == 5
    written(tmp_path, TEXT.replace('"most", 2', '"most", 6'))
    assert load_module(file).spec("spec").domain.size == 7


def test_what_is_loaded_stays_as_it_was(tmp_path: Path) -> None:
    """An edit after loading changes neither the functions nor the text that is compiled."""
    text = f"{TEXT}\n@invariant\ndef low(s: State) -> bool:\n    return s.at < 1\n"
    file = written(tmp_path, text)
    spec = load_module(file).spec("spec")
    before = render(spec.code)
    written(tmp_path, text.replace("s.at += 1", "s.at -= 1"))
    assert render(load_module(file).spec("spec").code) != before
    assert render(spec.code) == before


def test_relative_imports_take_part_in_the_binding(tmp_path: Path) -> None:
    """A module beside the spec is loaded with the same constants and is one of its sources."""
    shared = TEXT.partition("@init")[0]
    written(tmp_path, shared, "parts.py")
    rest = TEXT.partition("@init")[2]
    file = written(tmp_path, f"from .parts import State\n\n@init{rest}", "whole.py")
    loaded = load_module(file, {"most": 7})
    assert loaded.spec("spec").domain.size == 8
    assert loaded.constants["most"].value == 7
    assert loaded.files == (tmp_path / "parts.py", file)


def test_edited_import_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same holds for a module that the spec imports."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    parts = "limit = {}\n"
    (tmp_path / "parts.py").write_text(parts.format(1))
    text = TEXT.replace("(0, most)", "(0, limit)")
    file = written(tmp_path, f"from .parts import limit\n{text}", "whole.py")
    assert load_module(file).spec("spec").domain.size == 2
    (tmp_path / "parts.py").write_text(parts.format(5))
    assert load_module(file).spec("spec").domain.size == 6


def test_unknown_file_and_spec(tmp_path: Path) -> None:
    """What does not exist is named, with what might have been meant."""
    with pytest.raises(UsageError, match=r"no such file: .*none\.py"):
        load_module(tmp_path / "none.py")
    with pytest.raises(UsageError, match='has no spec "spce"; did you mean "spec"'):
        load_module(written(tmp_path, TEXT)).spec("spce")


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("x = (1,\ny = 2\n", 1, 4, "not Python: '(' was never closed"),
        ("def f(:\n    pass\n", 1, 6, "not Python: invalid syntax"),
        ("x = 1\ny = x + zebra\n", 2, 8, "NameError: name 'zebra' is not defined"),
        ("x = 1 // 0\n", 1, 4, "ZeroDivisionError: "),
        ("import no_such_module\n", 1, 0, "No module named 'no_such_module'"),
        ("class S(Struct):\n    n: float\n", 2, 7, "S.n: `float` is not a finite type"),
        ("class S(Struct):\n    n: Annotated[int, Range(2, 1)]\n", 2, 22, "Range(2, 1) is empty"),
        ("class S(Struct):\n    n: Unknown\n", 2, 7, "name 'Unknown' is not defined"),
    ],
)
def test_mistake_is_pointed_at(
    tmp_path: Path, text: str, line: int, column: int, said: str
) -> None:
    """File, line and caret of what is wrong, as one SpecError and nothing else."""
    file = written(tmp_path, text)
    with pytest.raises(SpecError) as error:
        load_module(file)
    assert said in error.value.message
    span = error.value.span
    assert span is not None
    assert (span.file, span.line - HEADER_LINES, span.column) == (str(file), line, column)
    shown = str(error.value).splitlines()
    assert shown[0].startswith(f"{file}:{line + HEADER_LINES}:{column + 1}: ")
    assert shown[2].index("^") == len(f"{span.line:>5} | ") + column


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("class K(Enum):\n    a = 1\n", "write `from enum import Enum`"),
        (
            "class S(Struct):\n    n: Annotated[int, Range(0, 1)]\n",
            "write `from typing import Annotated`",
        ),
        (
            "class S(Struct):\n    n: bool\n\n@init\ndef i() -> S:\n    return S(True)\n",
            "write `from specmodel.lang import Struct`",
        ),
    ],
)
def test_a_missing_import_is_told(tmp_path: Path, text: str, hint: str) -> None:
    """A name that specs use, and that the file does not import, is told with its module."""
    for first in ("", "from __future__ import annotations\n"):
        file = tmp_path / "bare.py"
        names = "" if "Struct" in hint else "from specmodel.lang import Range, Struct\n"
        file.write_text(first + names + text)
        with pytest.raises(SpecError) as error:
            load_module(file)
        assert error.value.hint == hint


def test_mistake_in_an_import_is_pointed_at_there(tmp_path: Path) -> None:
    """The place is in the file that is wrong, not the one that imports it."""
    (tmp_path / "parts.py").write_text("x = 1\nx.nothing\n")
    file = written(tmp_path, "from .parts import x\n", "whole.py")
    with pytest.raises(SpecError) as error:
        load_module(file)
    assert error.value.span is not None
    assert error.value.span.file == str(tmp_path / "parts.py")
    assert error.value.span.line == 2


def test_forgotten_dot_of_an_import(tmp_path: Path) -> None:
    """`from parts import` does not find the file beside it; the hint says what does."""
    (tmp_path / "some_parts_of_mine.py").write_text("x = 1\n")
    file = written(tmp_path, "from some_parts_of_mine import x\n", "whole.py")
    with pytest.raises(SpecError) as error:
        load_module(file)
    assert error.value.hint == "write `from .some_parts_of_mine import ...`"


def test_file_that_is_not_text(tmp_path: Path) -> None:
    """A binary file is a mistake like any other."""
    file = tmp_path / "noise.py"
    file.write_bytes(b"\x00\xff\xfe\x00")
    with pytest.raises(SpecError):
        load_module(file)


@pytest.mark.parametrize(
    "form",
    [
        "list({9, n, 1})",
        "list({n for n in (9, 3, 1)})",
        "list(set((9, n, 1)))",
        "list(frozenset([9, n, 1]))",
        "[x for x in {9, 3, 1}]",
        "[x for f in [lambda: {*(9, n, 1)}] for x in f()]",
    ],
)
def test_sets_of_a_spec_keep_the_order_of_their_domain(tmp_path: Path, form: str) -> None:
    """However a spec makes a set; CPython's own would go through these as 9, 1, 3."""
    function = f"\n\ndef made(n: int) -> list[int]:\n    return {form}\n"
    assert module_of(written(tmp_path, TEXT + function))["made"](3) == [1, 3, 9]


def test_a_name_that_a_spec_gives_a_meaning_is_its_own(tmp_path: Path) -> None:
    """A parameter or a function that is called `set` is called, and no set is made instead."""
    text = "\n\ndef made(set):\n    return set([9, 3])\n\n\nfound = made(max), {3}\n"
    assert module_of(written(tmp_path, TEXT + text))["found"][0] == 9


def module_of(file: Path) -> dict[str, Any]:
    """The names of a spec's module."""
    state = load_module(file).spec("spec").state
    return vars(import_module(state.__module__))


def test_a_load_is_forgotten_with_its_spec(tmp_path: Path) -> None:
    """Thousands of checks in one program keep no module; a state of a load keeps all of it."""
    file = written(tmp_path, TEXT)
    spec = load_module(file).spec("spec")
    state, package = spec.state(1), spec.init.__module__.partition(".")[0]
    assert not [name for name in sys.modules if name.startswith(package)]
    del spec
    gc.collect()
    copied = pickle.loads(pickle.dumps(state))
    assert copied == state and type(copied) is type(state)
    module = weakref.ref(import_module(type(state).__module__))
    for name in [name for name in sys.modules if name.startswith(package)]:
        del sys.modules[name]  # which unpickling has put there
    del state, copied
    gc.collect()
    assert module() is None


def test_a_struct_may_extend_one_of_a_load(tmp_path: Path) -> None:
    """The annotations of its base are looked up in a module that is loaded no more."""
    state = load_module(written(tmp_path, TEXT)).spec("spec").state
    more: Any = type("More", (state,), {})
    assert more(1).at == 1


def test_imports_from_a_folder_beside_the_specs(tmp_path: Path) -> None:
    """A module above or beside the spec's folder takes part in the binding, once for all of it."""
    for folder in ("replication", "two.words"):
        (tmp_path / folder).mkdir()
    (tmp_path / "__init__.py").write_text("1 / 0")
    (tmp_path / "sizes.py").write_text(
        "from specmodel.lang import constant\nsize = constant('size', 2)\n"
    )
    (tmp_path / "replication" / "core.py").write_text(
        "from ..sizes import size\nclass Core: size = size\n"
    )
    spec = tmp_path / "two.words" / "spec.py"
    spec.write_text(
        "from specmodel.lang import *\n"
        "from ..replication.core import Core\n"
        "from ..replication import core\n"
        "assert core.Core is Core and Core.size == 3\n"
    )
    loaded = load_module(spec, {"size": 3})
    assert loaded.constants["size"].value == 3
    assert [file.name for file in loaded.files] == ["core.py", "sizes.py", "spec.py"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("from .core import Replica", "No module named '.core'"),
        ("from ..replication.core import Replica", "No module named '..replication'"),
        ("from ..beside.core import Replica", "cannot import name 'Replica' from '..beside.core'"),
    ],
)
def test_import_that_is_not_there_is_named_as_written(
    tmp_path: Path, line: str, message: str
) -> None:
    """No message shows the private package of a load."""
    for folder in ("beside", "mine"):
        (tmp_path / folder).mkdir()
    (tmp_path / "beside" / "core.py").write_text("")
    spec = tmp_path / "mine" / "spec.py"
    spec.write_text(f"x = 1\n{line}\n")
    with pytest.raises(SpecError) as caught:
        load_module(spec)
    assert caught.value.message.startswith(message)
    assert caught.value.span is not None and caught.value.span[:2] == (str(spec), 2)


def test_import_of_a_misspelt_name_hints_at_the_right_one(tmp_path: Path) -> None:
    """Names of the language and of the spec's own modules; a name like no other gets no hint."""
    (tmp_path / "core.py").write_text("class Replica: pass\n")
    spec = tmp_path / "spec.py"
    for line, hint in (
        ("from specmodel.lang import Strut", "did you mean Struct or Set?"),
        ("from .core import Replicas", "did you mean Replica?"),
        ("from .core import xyz", ""),
    ):
        spec.write_text(f"{line}\n")
        with pytest.raises(SpecError) as caught:
            load_module(spec)
        assert caught.value.hint == hint


def test_mistake_in_a_folder_beside_is_pointed_at_there(tmp_path: Path) -> None:
    """The place is in the file that fails, not in the one that imports it."""
    for folder in ("beside", "mine"):
        (tmp_path / folder).mkdir()
    (tmp_path / "beside" / "core.py").write_text("x = 1\ny = 1 // 0\n")
    spec = tmp_path / "mine" / "spec.py"
    spec.write_text("from ..beside.core import y\n")
    with pytest.raises(SpecError) as caught:
        load_module(spec)
    assert caught.value.span is not None
    assert caught.value.span[:2] == (str(tmp_path / "beside" / "core.py"), 2)
