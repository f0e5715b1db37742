// sarama as a subject: JSON lines on standard input and output. When its partition consumer closes,
// the application opens it again at the oldest offset, unless reset is none.
package main

import (
	"errors"
	"time"

	"clients/subject"
	"github.com/IBM/sarama"
)

func main() {
	given := subject.Start()
	config := sarama.NewConfig()
	config.Version = sarama.MaxVersion
	config.Consumer.Return.Errors = true
	config.Consumer.MaxWaitTime = 200 * time.Millisecond
	config.Consumer.Retry.Backoff = 300 * time.Millisecond
	config.Metadata.RefreshFrequency = 500 * time.Millisecond
	consumer, err := sarama.NewConsumer(given.Brokers(), config)
	if err != nil {
		panic(err)
	}
	subject.Ready("sarama", "github.com/IBM/sarama")
	go subject.Asked(func(string) {})
	for at := int64(0); ; at = sarama.OffsetOldest {
		partition, err := consumer.ConsumePartition(given.Topic, 0, at)
		for err != nil {
			time.Sleep(300 * time.Millisecond)
			partition, err = consumer.ConsumePartition(given.Topic, 0, at)
		}
		go func() {
			for wrong := range partition.Errors() {
				if errors.Is(wrong.Err, sarama.ErrOffsetOutOfRange) && given.Reset == "none" {
					subject.Say(map[string]any{"told": wrong.Error()})
				}
			}
		}()
		for m := range partition.Messages() {
			subject.Say(map[string]any{"offset": m.Offset, "value": string(m.Value)})
		}
		if given.Reset == "none" {
			select {}
		}
	}
}
