"""What all engines are made of: what an engine is, the loop over levels, findings."""
