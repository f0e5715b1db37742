"""TLA+ on unknown states: next states and properties as nodes of a graph, for the kernel."""
