// franz-go's producer as a subject: JSON lines on standard input and output.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const module = "github.com/twmb/franz-go"

func say(event map[string]any) {
	line, _ := json.Marshal(event)
	fmt.Println(string(line))
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, used := range info.Deps {
		if used.Path == module {
			return "franz-go " + used.Version
		}
	}
	return "franz-go"
}

func main() {
	input := bufio.NewReader(os.Stdin)
	line, _ := input.ReadBytes('\n')
	var given struct{ Bootstrap, Topic, Acks string }
	if err := json.Unmarshal(line, &given); err != nil {
		panic(err)
	}
	acks := kgo.LeaderAck()
	if given.Acks == "all" {
		acks = kgo.AllISRAcks()
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(given.Bootstrap, ",")...),
		kgo.RequiredAcks(acks), kgo.DisableIdempotentWrite(),
		kgo.MaxProduceRequestsInflightPerBroker(1), kgo.ProducerLinger(0),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RetryBackoffFn(func(int) time.Duration { return 400 * time.Millisecond }),
		kgo.MetadataMaxAge(500*time.Millisecond), kgo.MetadataMinAge(250*time.Millisecond),
	)
	if err != nil {
		panic(err)
	}
	say(map[string]any{"ready": true, "version": version()})
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		var asked struct{ Send string }
		_ = json.Unmarshal(line, &asked)
		record := &kgo.Record{Topic: given.Topic, Value: []byte(asked.Send)}
		client.Produce(context.Background(), record, func(r *kgo.Record, err error) {
			if err != nil {
				say(map[string]any{"failed": string(r.Value), "error": err.Error()})
			} else {
				say(map[string]any{"acknowledged": string(r.Value), "offset": r.Offset})
			}
		})
	}
}
