"""aiokafka as a subject: JSON lines on standard input and output."""

import asyncio
import json
import os
import sys
import threading

import aiokafka
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError


def say(**event):
    print(json.dumps(event), flush=True)


LOST = ("OffsetOutOfRangeError", "NoOffsetForPartitionError")


async def main():
    given = json.loads(sys.stdin.readline())
    consumer = AIOKafkaConsumer(
        bootstrap_servers=given["bootstrap"].split(","),
        group_id=None,
        auto_offset_reset=given["reset"],
        enable_auto_commit=False,
        metadata_max_age_ms=500,
        fetch_max_wait_ms=200,
    )
    await consumer.start()
    partition = TopicPartition(given["topic"], 0)
    consumer.assign([partition])
    consumer.seek(partition, 0)
    say(ready=True, version=f"aiokafka {aiokafka.__version__}")
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    while True:
        try:
            for messages in (await consumer.getmany(timeout_ms=100)).values():
                for message in messages:
                    say(offset=message.offset, value=message.value.decode())
        except KafkaError as wrong:
            name = type(wrong).__name__
            say(**{"told" if name in LOST else "error": f"{name}: {wrong}"})
            await asyncio.sleep(0.3)


asyncio.run(main())
