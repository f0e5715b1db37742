"""ITF, the trace format that Apalache defined and Quint reads (ADR-015 of the Apalache project)."""
