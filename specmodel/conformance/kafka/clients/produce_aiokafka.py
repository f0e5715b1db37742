"""aiokafka's producer as a subject: JSON lines on standard input and output."""

import asyncio
import json
import os
import sys

import aiokafka
from aiokafka import AIOKafkaProducer
from subject_lines import acknowledgements, say, start


async def send(producer, topic, value):
    try:
        found = await producer.send_and_wait(topic, value.encode(), partition=0)
        say(acknowledged=value, offset=found.offset)
    except Exception as wrong:
        say(failed=value, error=f"{type(wrong).__name__}: {wrong}")


async def main():
    given = start()
    producer = AIOKafkaProducer(  # it has no limit of retries
        bootstrap_servers=given["brokers"],
        acks=acknowledgements(given["acks"]),
        retry_backoff_ms=400,
        metadata_max_age_ms=500,
    )
    await producer.start()
    say(ready=True, version=f"aiokafka {aiokafka.__version__}")
    tasks = []
    while line := await asyncio.to_thread(sys.stdin.readline):
        tasks.append(asyncio.create_task(send(producer, given["topic"], json.loads(line)["send"])))
    os._exit(0)


asyncio.run(main())
