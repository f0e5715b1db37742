// franz-go's producer as a subject: JSON lines on standard input and output.
package main

import (
	"context"
	"time"

	"clients/subject"
	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	given := subject.Start()
	acks := kgo.LeaderAck()
	if given.Acks == "all" {
		acks = kgo.AllISRAcks()
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(given.Brokers()...),
		kgo.RequiredAcks(acks), kgo.DisableIdempotentWrite(),
		kgo.MaxProduceRequestsInflightPerBroker(1), kgo.ProducerLinger(0),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RetryBackoffFn(func(int) time.Duration { return 400 * time.Millisecond }),
		kgo.MetadataMaxAge(500*time.Millisecond), kgo.MetadataMinAge(250*time.Millisecond),
	)
	if err != nil {
		panic(err)
	}
	subject.Ready("franz-go", "github.com/twmb/franz-go")
	subject.Asked(func(value string) {
		record := &kgo.Record{Topic: given.Topic, Value: []byte(value)}
		client.Produce(context.Background(), record, func(r *kgo.Record, err error) {
			if err != nil {
				subject.Say(map[string]any{"failed": string(r.Value), "error": err.Error()})
			} else {
				subject.Say(map[string]any{"acknowledged": string(r.Value), "offset": r.Offset})
			}
		})
	})
}
