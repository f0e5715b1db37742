"""The coverage of a spec's code, by places in the source and by lines."""
