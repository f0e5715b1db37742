// franz-go as a subject: JSON lines on standard input and output.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
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
	var given struct{ Bootstrap, Topic, Reset string }
	if err := json.Unmarshal(line, &given); err != nil {
		panic(err)
	}
	reset := kgo.NewOffset().AtStart()
	if given.Reset == "none" {
		reset = kgo.NoResetOffset()
	}
	partitions := map[string]map[int32]kgo.Offset{given.Topic: {0: kgo.NewOffset().At(0)}}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(given.Bootstrap, ",")...),
		kgo.ConsumePartitions(partitions), kgo.ConsumeResetOffset(reset),
		kgo.MetadataMaxAge(500*time.Millisecond), kgo.MetadataMinAge(250*time.Millisecond),
		kgo.FetchMaxWait(200*time.Millisecond), kgo.KeepRetryableFetchErrors(),
	)
	if err != nil {
		panic(err)
	}
	say(map[string]any{"ready": true, "version": version()})
	go func() { _, _ = io.Copy(io.Discard, input); os.Exit(0) }()
	for {
		fetches := client.PollFetches(context.Background())
		fetches.EachError(func(_ string, _ int32, err error) {
			kind := "error"
			var loss *kgo.ErrDataLoss
			if errors.As(err, &loss) || errors.Is(err, kerr.OffsetOutOfRange) ||
				errors.Is(err, kerr.UnknownTopicID) {
				kind = "told"
			}
			say(map[string]any{kind: err.Error()})
		})
		fetches.EachRecord(func(r *kgo.Record) {
			say(map[string]any{"offset": r.Offset, "epoch": r.LeaderEpoch, "value": string(r.Value)})
		})
	}
}
