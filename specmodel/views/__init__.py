"""What people and programs see of a result: text, traces, JSON, ITF. A view recomputes nothing."""
