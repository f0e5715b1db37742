"""aiokafka as a subject: JSON lines on standard input and output."""

import asyncio

import aiokafka
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError
from subject_lines import heard, say, start

LOST = ("OffsetOutOfRangeError", "NoOffsetForPartitionError")


async def main():
    given = start()
    commits = given.get("commit", False)
    consumer = AIOKafkaConsumer(
        bootstrap_servers=given["brokers"],
        group_id="group" if commits else None,
        auto_offset_reset=given["reset"],
        enable_auto_commit=False,
        metadata_max_age_ms=500,
        fetch_max_wait_ms=200,
    )
    await consumer.start()
    partition = TopicPartition(given["topic"], 0)
    consumer.assign([partition])
    if not commits:
        consumer.seek(partition, 0)
    say(ready=True, version=f"aiokafka {aiokafka.__version__}")
    asked = heard()
    while True:
        try:
            if asked.is_set() and commits:
                asked.clear()
                await consumer.commit()
                say(committed=await consumer.position(partition))
            for messages in (await consumer.getmany(timeout_ms=100)).values():
                for message in messages:
                    say(offset=message.offset, value=message.value.decode())
        except KafkaError as wrong:
            name = type(wrong).__name__
            say(**{"told" if name in LOST else "error": f"{name}: {wrong}"})
            await asyncio.sleep(0.3)


asyncio.run(main())
