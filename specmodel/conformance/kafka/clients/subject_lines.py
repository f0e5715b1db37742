"""What subjects in Python share: JSON lines on standard input and output."""

import json
import os
import sys
import threading


def start():
    """What the first line gives: the brokers' addresses, the topic, and more."""
    given = json.loads(sys.stdin.readline())
    given["brokers"] = given["bootstrap"].split(",")
    return given


def say(**event):
    """Writes a line."""
    print(json.dumps(event), flush=True)


def heard():
    """An event that each further line sets. At the end of standard input the program ends."""
    asked = threading.Event()

    def read():
        for _ in sys.stdin:
            asked.set()
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return asked


def acknowledgements(acks):
    """`1`, `0` or `all` as kafka-python and aiokafka take them."""
    return "all" if acks == "all" else int(acks)
