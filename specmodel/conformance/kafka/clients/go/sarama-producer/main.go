// sarama's producer as a subject: JSON lines on standard input and output.
package main

import (
	"time"

	"clients/subject"
	"github.com/IBM/sarama"
)

func main() {
	given := subject.Start()
	config := sarama.NewConfig()
	config.Version = sarama.MaxVersion
	config.Net.MaxOpenRequests = 1
	config.Producer.RequiredAcks = sarama.WaitForLocal
	if given.Acks == "all" {
		config.Producer.RequiredAcks = sarama.WaitForAll
	}
	config.Producer.Retry.Max = 50
	config.Producer.Retry.Backoff = 400 * time.Millisecond
	config.Producer.Partitioner = sarama.NewManualPartitioner
	config.Producer.Return.Successes = true
	config.Metadata.RefreshFrequency = 500 * time.Millisecond
	producer, err := sarama.NewAsyncProducer(given.Brokers(), config)
	if err != nil {
		panic(err)
	}
	subject.Ready("sarama", "github.com/IBM/sarama")
	go func() {
		for sent := range producer.Successes() {
			subject.Say(map[string]any{"acknowledged": sent.Metadata, "offset": sent.Offset})
		}
	}()
	go func() {
		for wrong := range producer.Errors() {
			subject.Say(map[string]any{"failed": wrong.Msg.Metadata, "error": wrong.Err.Error()})
		}
	}()
	subject.Asked(func(value string) {
		sent := sarama.StringEncoder(value)
		producer.Input() <- &sarama.ProducerMessage{Topic: given.Topic, Value: sent, Metadata: value}
	})
}
