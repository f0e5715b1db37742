"""The views of a result: text, traces, JSON, ITF. A view computes no results."""
