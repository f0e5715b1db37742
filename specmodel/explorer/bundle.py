"""The page's files: served one by one, or joined into one file that needs no server."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib import resources
from typing import Any

from specmodel.explorer.behaviours import HALVES

STARTS = {"explorer": "main.js", "plays": "plays.js"}
"""The module that starts a page, by what the page shows."""

KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_ACTIVE = re.compile(f"[<>&\u2028\u2029]|{HALVES.pattern}")
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) )", re.MULTILINE)


@cache
def page_files() -> Mapping[str, str]:
    """The files of the page by name. Only these are served."""
    folder = resources.files("specmodel.explorer") / "page"
    return {
        file.name: file.read_text(encoding="utf-8")
        for file in sorted(folder.iterdir(), key=lambda f: f.name)
        if any(file.name.endswith(kind) for kind in KINDS)
    }


def one_script(files: Mapping[str, str], first: str = "main.js") -> str:
    """The modules that one of them needs as one script: each after those that it imports.

    Their names are not changed, so no two modules may declare the same name.
    """
    done: dict[str, str] = {}

    def add(name: str) -> None:
        text = files[name]
        for needed in _IMPORT.findall(text):
            if needed not in done:
                add(needed)
        done[name] = _EXPORT.sub("", _IMPORT.sub("", text))

    add(first)
    return "".join(done.values())


def one_page(title: str, document: Mapping[str, Any], shows: str = "explorer") -> str:
    """A page that shows a document: an HTML file that loads nothing and runs only its own script.

    `shows` is "explorer" for a behaviour, and "plays" for a report of plays. No part of the
    document can be taken for markup, and no other script would run.
    """
    files = page_files()
    style, script = files["style.css"], one_script(files, STARTS[shows])
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    charset = '<meta charset="utf-8">'
    data = f'<script type="application/json" id="specmodel-data">{_inert(document)}</script>'
    inside = {
        charset: f'{charset}\n<meta http-equiv="Content-Security-Policy" content="{policy}">',
        "<title>specmodel</title>": f"<title>{escape(title)}</title>",
        '<link rel="stylesheet" href="/page/style.css">': f"<style>{style}</style>",
        '<script type="module" src="/page/main.js">': f'{data}\n<script type="module">{script}',
        "<spec-explorer></spec-explorer>": f"<spec-{shows}></spec-{shows}>",
    }
    page = files["index.html"]
    for part in inside:
        assert part in page, part
    whole = re.sub("|".join(map(re.escape, inside)), lambda part: inside[part[0]], page)
    return HALVES.sub("\ufffd", whole)


def _digest(text: str) -> str:
    made = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{made}'"


def _inert(document: Mapping[str, Any]) -> str:
    """JSON without the characters that could end a script element, or that UTF-8 cannot write."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return _ACTIVE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
