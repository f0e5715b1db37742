"""The constructs of the language reference: what it lists compiles, the rest is refused."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from specmodel.errors import SpecError
from specmodel.kernel.program import Program
from specmodel.lang.loading import load_module
from specmodel.lang.lowering import lower
from tests.docs.pages import ROOT, blocks

PAGE = ROOT / "docs" / "reference" / "language.md"

ACTION = '''

@action
def tried(s: Server, c: Client, retry: bool) -> None:
    """The Python of one row."""
{}


trial = reliable.adding("trial", actions=[tried])
'''

SUPPORTED = """
x = s.sent[c] - 1; x *= 2; x //= 3; x %= 2; x += 1; s.sent[c] = abs(-x)
s.sent[c] = min(s.sent[c], 2, max(x for x in range(3))) + int(retry)
s.queue += [Request(sender=c, number=1)]
s.queue.extend(s.queue[:1]); s.queue.clear()
s.queue = [Request(c, 1)] + s.queue
s.served |= {c}; s.served &= {c}; s.served -= {c}; s.served ^= {c}
s.phase[c], s.sent[c] = Phase.idle, 1
last: Request | None = None; s.last = last
x: int = 0 if s.last is None else s.last.number; require(x == 0)
require(0 <= s.sent[c] < 3 and not retry or s.served <= {c})
require(s.last == Request(c, 0) or s.queue != [] or s.sent == {k: 0 for k in Client})
require(s.phase[c] in (Phase.idle, Phase.waiting) and Request(c, 1) not in s.queue)
require(c in s.served and s.last is not None)
require(s.queue[0].sender == s.queue[-1].sender)
require(len(s.queue[1:]) == len(s.served | {c}) == len(Client) == len(Phase) == len(s.sent))
require(s.served.union({c}).issubset({k for k in Client}))
require(s.served.isdisjoint({c}) or s.served.intersection({c}).issuperset(set()))
require(sum(s.sent[k] for k in Client) > sum(r.retry for r in s.queue))
require(min((r.number for r in s.queue), default=0) == 0)
require(max([r.number for r in s.queue], default=0) == max(s.sent.values()))
require(any(r.sender == k for k in Client if k != c for r in s.queue if r.retry))
require(all(n < 3 for k, n in s.sent.items()) and len(list(s.queue)) == len({r for r in s.queue}))
for k in s.sent: s.sent[k] = 0
for n in range(1, 3): require(n < s.sent[c])
require(s.sent[c] in range(1, 3) or s.sent[c] not in range(2))
require(s.queue)
require(s.sent[c])
require(s.last)
require(c == Client.nth(0))
require(len(set(r.sender for r in s.queue)) == 1)
send(s, c, True)
pass
require_some(s.last)
return
x: Set[Client] = set(); s.served = x
require(min(s.queue, key=lambda r: (r.number, r.retry)) == next(r for r in s.queue if r.retry))
require(next((r for r in s.queue), None) is None or sorted(s.sent.values(), reverse=True)[0] == 1)
s.queue = sorted(s.queue, key=lambda r: r.number)
while s.sent[c] < 3: s.sent[c] += 1
""".strip().splitlines()


def rows() -> list[str]:
    """The Python of the table after the mark `refused`."""
    table = PAGE.read_text(encoding="utf-8").partition("<!-- refused -->\n")[2].partition("\n\n")[0]
    cells = [re.split(r"(?<!\\)\|", line)[1].strip() for line in table.splitlines()[2:]]
    return [cell.replace("`<br>`", "\n").strip("`").replace("\\|", "|") for cell in cells]


def written(folder: Path, python: str) -> Path:
    """The reference's spec with one more action, of this Python, at its end."""
    file = folder / "requests.py"
    spec = "\n\n".join(b.text for b in blocks(PAGE) if b.file == "requests.py")
    file.write_text(spec + ACTION.format(textwrap.indent(python, "    ")), encoding="utf-8")
    return file


@pytest.mark.parametrize("python", SUPPORTED)
def test_is_supported(python: str, tmp_path: Path) -> None:
    """What the reference lists goes all the way to the graphs that a kernel is made of."""
    spec = load_module(written(tmp_path, python)).spec("trial")
    assert list(Program(spec, spec.properties).moves())


@pytest.mark.parametrize("python", rows())
def test_is_refused(python: str, tmp_path: Path) -> None:
    """A row that the language has come to support would mislead its reader."""
    with pytest.raises(SpecError) as refused:
        lower(load_module(written(tmp_path, python)).spec("trial"))
    place = refused.value.span
    assert place is not None
    assert python.splitlines()[0] in "\n".join(
        Path(place.file).read_text(encoding="utf-8").splitlines()[place.line - 2 : place.line]
    )
