"""librdkafka, through confluent-kafka, as a subject: JSON lines on standard input and output."""

import confluent_kafka
from confluent_kafka import OFFSET_STORED, Consumer, KafkaError, TopicPartition
from subject_lines import heard, say, start

given = start()
reset = given["reset"]
consumer = Consumer(
    {
        "bootstrap.servers": given["bootstrap"],
        "group.id": "group",
        "auto.offset.reset": "error" if reset == "none" else reset,
        "enable.auto.commit": False,
        "topic.metadata.refresh.interval.ms": 500,
        "fetch.wait.max.ms": 200,
        "reconnect.backoff.max.ms": 200,
        "log_level": 0,
    }
)
commits = given.get("commit", False)
consumer.assign([TopicPartition(given["topic"], 0, OFFSET_STORED if commits else 0)])
library = confluent_kafka.libversion()[0]
say(ready=True, version=f"confluent-kafka {confluent_kafka.__version__} (librdkafka {library})")
asked = heard()
last = None
while True:
    if asked.is_set() and commits:
        asked.clear()
        consumer.commit(last, asynchronous=False)
        say(committed=last.offset() + 1)
    message = consumer.poll(0.1)
    if message is None:
        continue
    error = message.error()
    if error is None:
        last, value = message, message.value().decode()
        say(offset=message.offset(), epoch=message.leader_epoch(), value=value)
    elif error.code() == KafkaError._AUTO_OFFSET_RESET:
        say(told=str(error.str()))
    else:
        say(error=str(error))
