"""What of a spec's code a search has run: by places in the source, and by lines."""
