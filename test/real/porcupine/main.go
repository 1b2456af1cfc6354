// Checks a history of operations on animals for linearizability, with porcupine (https://github.com/anishathalye/porcupine).
// Linearizability is local: a history is linearizable if that of each animal is.
//
//	porcupine HISTORY    one operation a line, as JSON
//
// Prints a summary as JSON, and the operations of animals that no order explains on standard error. Exit code: 0 linearizable,
// 1 not, 2 unknown within the time, 3 anything else.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

const perAnimal = 60 * time.Second

// How many operations before an anomaly's last one are printed.
const printed = 12

var model = porcupine.Model{
	Init: func() interface{} { return state{} },
	Step: step,
}

type summary struct {
	Operations int     `json:"operations"`
	Unknown    int     `json:"unknown"`
	Animals    int     `json:"animals"`
	Anomalies  []int64 `json:"anomalies"`
	Undecided  []int64 `json:"undecided"`
	Seconds    float64 `json:"seconds"`
}

func readHistory(path string) (map[int64][]Operation, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	animals := map[int64][]Operation{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var operation Operation
		if err := json.Unmarshal(lines.Bytes(), &operation); err != nil {
			return nil, err
		}
		animals[operation.Animal] = append(animals[operation.Animal], operation)
	}
	return animals, lines.Err()
}

func toPorcupine(operations []Operation) []porcupine.Operation {
	converted := make([]porcupine.Operation, len(operations))
	for at, operation := range operations {
		end := operation.Return
		if end == 0 {
			end = math.MaxInt64
		}
		converted[at] = porcupine.Operation{
			ClientId: operation.Client, Input: operation, Call: operation.Call, Return: end,
		}
	}
	return converted
}

func check(operations []Operation) porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(model, toPorcupine(operations), perAnimal)
}

// The operations that were called until an instant; those that had not returned then have an unknown outcome.
func until(operations []Operation, end int64) []Operation {
	var known []Operation
	for _, operation := range operations {
		if operation.Call > end {
			continue
		}
		if operation.Return > end {
			operation.Return = 0
		}
		known = append(known, operation)
	}
	return known
}

// Prints the shortest beginning of a history that no order explains.
func explain(animal int64, operations []Operation) {
	var ends []int64
	for _, operation := range operations {
		if operation.Return != 0 {
			ends = append(ends, operation.Return)
		}
	}
	sort.Slice(ends, func(a, b int) bool { return ends[a] < ends[b] })
	shortest := sort.Search(len(ends), func(at int) bool {
		return check(until(operations, ends[at])) != porcupine.Ok
	})
	if shortest == len(ends) {
		return
	}
	beginning := until(operations, ends[shortest])
	sort.Slice(beginning, func(a, b int) bool { return beginning[a].Call < beginning[b].Call })
	if len(beginning) > printed {
		beginning = beginning[len(beginning)-printed:]
	}
	fmt.Fprintf(os.Stderr, "no order explains animal %d:\n", animal)
	for _, operation := range beginning {
		line, _ := json.Marshal(operation)
		fmt.Fprintf(os.Stderr, "  %s\n", line)
	}
}

func summarize(animals map[int64][]Operation) summary {
	began := time.Now()
	result := summary{Animals: len(animals), Anomalies: []int64{}, Undecided: []int64{}}
	for animal, operations := range animals {
		result.Operations += len(operations)
		for _, operation := range operations {
			if operation.Return == 0 {
				result.Unknown++
			}
		}
		switch check(operations) {
		case porcupine.Illegal:
			result.Anomalies = append(result.Anomalies, animal)
		case porcupine.Unknown:
			result.Undecided = append(result.Undecided, animal)
		}
	}
	result.Seconds = time.Since(began).Seconds()
	return result
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: porcupine HISTORY")
		os.Exit(3)
	}
	animals, err := readHistory(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	result := summarize(animals)
	for at, animal := range result.Anomalies {
		if at < 3 {
			explain(animal, animals[animal])
		}
	}
	line, _ := json.Marshal(result)
	fmt.Println(string(line))
	switch {
	case len(result.Anomalies) > 0:
		os.Exit(1)
	case len(result.Undecided) > 0:
		os.Exit(2)
	}
}
