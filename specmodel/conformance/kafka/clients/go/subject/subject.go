// Package subject is what subjects in Go share: JSON lines on standard input and output.
package subject

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// Given is the first line of standard input.
type Given struct{ Bootstrap, Topic, Reset, Acks string }

var input = bufio.NewReader(os.Stdin)

// Start reads the first line.
func Start() Given {
	var given Given
	line, _ := input.ReadBytes('\n')
	if err := json.Unmarshal(line, &given); err != nil {
		panic(err)
	}
	return given
}

// Brokers are the addresses to begin with.
func (given Given) Brokers() []string { return strings.Split(given.Bootstrap, ",") }

// Say writes a line.
func Say(event map[string]any) {
	line, _ := json.Marshal(event)
	fmt.Println(string(line))
}

// Ready says that the client stands, and the version of its module.
func Ready(name, module string) {
	info, _ := debug.ReadBuildInfo()
	for _, used := range info.Deps {
		if used.Path == module {
			name += " " + used.Version
		}
	}
	Say(map[string]any{"ready": true, "version": name})
}

// Asked calls produce with each value that is asked for. At the end of standard input the program
// ends.
func Asked(produce func(value string)) {
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		var asked struct{ Send string }
		_ = json.Unmarshal(line, &asked)
		produce(asked.Send)
	}
}
