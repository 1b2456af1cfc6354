package main

// Operation is what one client did with one animal: a line of the history.
type Operation struct {
	Client int    `json:"client"`
	Node   int    `json:"node"`
	Animal int64  `json:"animal"`
	Kind   string `json:"kind"`
	// What add and patch set; absent: kept.
	Name   *string `json:"name,omitempty"`
	Status *string `json:"status,omitempty"`
	// The order that cancel is about.
	Order int64 `json:"order,omitempty"`
	// Nanoseconds of one monotonic clock. Return is 0 if nobody knows whether the operation happened: it may still happen.
	Call   int64 `json:"call"`
	Return int64 `json:"return,omitempty"`
	// The status of the response, and what was in it.
	Code   int     `json:"code,omitempty"`
	Seen   *Animal `json:"seen,omitempty"`
	Placed int64   `json:"placed,omitempty"`
}

// Animal is what a response shows of it.
type Animal struct {
	Name   string `json:"name"`
	Status string `json:"status"`
}

type phase int

const (
	unborn phase = iota
	present
	deleted
)

// state is all that the service may know of one animal.
type state struct {
	phase phase
	Animal
	// The open order, 0 if there is none.
	order int64
}

// An order that was placed without a response: nobody knows its id.
const unknownOrder = -1

// respond is the specification: what an operation does to an animal, and the status of its response.
func respond(now state, operation Operation) (int, state) {
	if operation.Kind == "add" {
		return add(now, operation)
	}
	if operation.Kind == "cancel" {
		return cancel(now, operation)
	}
	if now.phase != present {
		return 404, now
	}
	switch operation.Kind {
	case "get":
		return 200, now
	case "patch":
		return patch(now, operation)
	case "delete":
		if now.order != 0 {
			return 409, now
		}
		return 204, state{phase: deleted}
	case "order":
		return order(now, operation)
	}
	panic("unknown kind of operation: " + operation.Kind)
}

// An id is given to one animal only, also after it was deleted.
func add(now state, operation Operation) (int, state) {
	if now.phase != unborn {
		return 0, now
	}
	return 201, state{phase: present, Animal: Animal{*operation.Name, *operation.Status}}
}

func patch(now state, operation Operation) (int, state) {
	if operation.Status != nil {
		if now.order != 0 && now.Status != *operation.Status {
			return 409, now
		}
		now.Status = *operation.Status
	}
	if operation.Name != nil {
		now.Name = *operation.Name
	}
	return 200, now
}

// A compare-and-set: only an available animal without an open order becomes pending.
func order(now state, operation Operation) (int, state) {
	if now.Status != "available" || now.order != 0 {
		return 409, now
	}
	now.Status = "pending"
	now.order = operation.Placed
	if operation.Placed == 0 {
		now.order = unknownOrder
	}
	return 201, now
}

func cancel(now state, operation Operation) (int, state) {
	if now.order != operation.Order {
		return 409, now
	}
	now.order = 0
	if now.Status == "pending" {
		now.Status = "available"
	}
	return 200, now
}

// step says whether an animal in this state may have given this response.
func step(now, input, _ interface{}) (bool, interface{}) {
	operation := input.(Operation)
	code, next := respond(now.(state), operation)
	if operation.Return == 0 {
		return true, next
	}
	if code != operation.Code {
		return false, next
	}
	return operation.Seen == nil || *operation.Seen == next.Animal, next
}
