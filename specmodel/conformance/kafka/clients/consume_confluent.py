"""librdkafka, through confluent-kafka, as a subject: JSON lines on standard input and output."""

import json
import os
import sys
import threading

import confluent_kafka
from confluent_kafka import Consumer, KafkaError, TopicPartition


def say(**event):
    print(json.dumps(event), flush=True)


given = json.loads(sys.stdin.readline())
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
consumer.assign([TopicPartition(given["topic"], 0, 0)])
library = confluent_kafka.libversion()[0]
say(ready=True, version=f"confluent-kafka {confluent_kafka.__version__} (librdkafka {library})")
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
while True:
    message = consumer.poll(0.1)
    if message is None:
        continue
    error = message.error()
    if error is None:
        value = message.value().decode()
        say(offset=message.offset(), epoch=message.leader_epoch(), value=value)
    elif error.code() == KafkaError._AUTO_OFFSET_RESET:
        say(told=str(error.str()))
    else:
        say(error=str(error))
