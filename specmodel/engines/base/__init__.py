"""The parts that all engines share: the interface of an engine, the loop over levels, findings."""
