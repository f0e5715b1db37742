// sarama's producer as a subject: JSON lines on standard input and output.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
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
	var given struct{ Bootstrap, Topic, Acks string }
	if err := json.Unmarshal(line, &given); err != nil {
		panic(err)
	}
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
	producer, err := sarama.NewAsyncProducer(strings.Split(given.Bootstrap, ","), config)
	if err != nil {
		panic(err)
	}
	say(map[string]any{"ready": true, "version": version()})
	go func() {
		for sent := range producer.Successes() {
			say(map[string]any{"acknowledged": sent.Metadata, "offset": sent.Offset})
		}
	}()
	go func() {
		for wrong := range producer.Errors() {
			say(map[string]any{"failed": wrong.Msg.Metadata, "error": wrong.Err.Error()})
		}
	}()
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		var asked struct{ Send string }
		_ = json.Unmarshal(line, &asked)
		value := sarama.StringEncoder(asked.Send)
		producer.Input() <- &sarama.ProducerMessage{Topic: given.Topic, Value: value, Metadata: asked.Send}
	}
}
