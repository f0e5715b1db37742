// franz-go as a subject: JSON lines on standard input and output.
package main

import (
	"context"
	"errors"
	"time"

	"clients/subject"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	given := subject.Start()
	reset := kgo.NewOffset().AtStart()
	if given.Reset == "none" {
		reset = kgo.NoResetOffset()
	}
	partitions := map[string]map[int32]kgo.Offset{given.Topic: {0: kgo.NewOffset().At(0)}}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(given.Brokers()...),
		kgo.ConsumePartitions(partitions), kgo.ConsumeResetOffset(reset),
		kgo.MetadataMaxAge(500*time.Millisecond), kgo.MetadataMinAge(250*time.Millisecond),
		kgo.FetchMaxWait(200*time.Millisecond), kgo.KeepRetryableFetchErrors(),
	)
	if err != nil {
		panic(err)
	}
	subject.Ready("franz-go", "github.com/twmb/franz-go")
	go subject.Asked(func(string) {})
	for {
		fetches := client.PollFetches(context.Background())
		fetches.EachError(func(_ string, _ int32, err error) {
			kind := "error"
			var loss *kgo.ErrDataLoss
			if errors.As(err, &loss) || errors.Is(err, kerr.OffsetOutOfRange) ||
				errors.Is(err, kerr.UnknownTopicID) {
				kind = "told"
			}
			subject.Say(map[string]any{kind: err.Error()})
		})
		fetches.EachRecord(func(r *kgo.Record) {
			subject.Say(map[string]any{"offset": r.Offset, "epoch": r.LeaderEpoch, "value": string(r.Value)})
		})
	}
}
