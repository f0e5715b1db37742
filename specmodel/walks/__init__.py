"""Random walks: what they are, how long they go on, what they tell."""
