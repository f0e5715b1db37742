// sarama as a subject: JSON lines on standard input and output. When its partition consumer closes,
// the application opens it again at the oldest offset, unless reset is none.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/IBM/sarama"
)

func say(event map[string]any) {
	line, _ := json.Marshal(event)
	fmt.Println(string(line))
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, used := range info.Deps {
		if used.Path == "github.com/IBM/sarama" {
			return "sarama " + used.Version
		}
	}
	return "sarama"
}

func main() {
	input := bufio.NewReader(os.Stdin)
	line, _ := input.ReadBytes('\n')
	var given struct{ Bootstrap, Topic, Reset string }
	if err := json.Unmarshal(line, &given); err != nil {
		panic(err)
	}
	config := sarama.NewConfig()
	config.Version = sarama.MaxVersion
	config.Consumer.Return.Errors = true
	config.Consumer.MaxWaitTime = 200 * time.Millisecond
	config.Consumer.Retry.Backoff = 300 * time.Millisecond
	config.Metadata.RefreshFrequency = 500 * time.Millisecond
	consumer, err := sarama.NewConsumer(strings.Split(given.Bootstrap, ","), config)
	if err != nil {
		panic(err)
	}
	say(map[string]any{"ready": true, "version": version()})
	go func() { _, _ = io.Copy(io.Discard, input); os.Exit(0) }()
	for at := int64(0); ; at = sarama.OffsetOldest {
		partition, err := consumer.ConsumePartition(given.Topic, 0, at)
		for err != nil {
			time.Sleep(300 * time.Millisecond)
			partition, err = consumer.ConsumePartition(given.Topic, 0, at)
		}
		go func() {
			for wrong := range partition.Errors() {
				if errors.Is(wrong.Err, sarama.ErrOffsetOutOfRange) && given.Reset == "none" {
					say(map[string]any{"told": wrong.Error()})
				}
			}
		}()
		for m := range partition.Messages() {
			say(map[string]any{"offset": m.Offset, "value": string(m.Value)})
		}
		if given.Reset == "none" {
			select {}
		}
	}
}
