"""kafka-python as a subject: JSON lines on standard input and output."""

import time

import kafka
from kafka import KafkaConsumer, TopicPartition
from kafka.errors import KafkaError
from subject_lines import heard, say, start

given = start()
commits = given.get("commit", False)
consumer = KafkaConsumer(
    bootstrap_servers=given["brokers"],
    group_id="group" if commits else None,
    auto_offset_reset=given["reset"],
    enable_auto_commit=False,
    metadata_max_age_ms=500,
    fetch_max_wait_ms=200,
    reconnect_backoff_max_ms=200,
)
partition = TopicPartition(given["topic"], 0)
consumer.assign([partition])
if not commits:
    consumer.seek(partition, 0)
say(ready=True, version=f"kafka-python {kafka.__version__}")
asked = heard()
LOST = ("LogTruncationError", "OffsetOutOfRangeError", "NoOffsetForPartitionError")
while True:
    try:
        if asked.is_set() and commits:
            asked.clear()
            consumer.commit()
            say(committed=consumer.position(partition))
        for messages in consumer.poll(100).values():
            for message in messages:
                epoch = getattr(message, "leader_epoch", None)
                say(offset=message.offset, epoch=epoch, value=message.value.decode())
    except KafkaError as wrong:
        name = type(wrong).__name__
        say(**{"told" if name in LOST else "error": f"{name}: {wrong}"})
        time.sleep(0.3)
