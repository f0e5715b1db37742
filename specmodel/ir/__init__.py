"""The typed intermediate form (IR) of a spec, over finite domains. All compiled engines use it."""
