package awssqs_test

import (
	"strconv"
	"time"

	"github.com/memsqs/memsqs"
)

// inGroup returns a message of a group, with an id of its own.
func inGroup(group, body string) memsqs.SendInput {
	return memsqs.SendInput{Body: body, GroupID: group, DeduplicationID: body}
}

var fifoScenarios = []scenario{
	{"a group is received in order", fifo(memsqs.FIFOConfig{}), func(s *script) {
		for i := range 3 {
			s.sendBatch(inGroup("a", "a"+strconv.Itoa(i)), inGroup("b", "b"+strconv.Itoa(i)))
		}
		s.receive(memsqs.ReceiveInput{MaxMessages: 2})
		s.receive(memsqs.ReceiveInput{MaxMessages: 2})
		s.receive(all) // both groups are locked
		s.deleteBatch(s.handle(1), s.handle(2))
		s.change(s.handle(3), 0)
		s.receive(all)
	}},
	{"a message that is sent again is dropped", fifo(memsqs.FIFOConfig{ContentBasedDeduplication: true}), func(s *script) {
		s.send(memsqs.SendInput{Body: "hello", GroupID: "a"})
		s.send(memsqs.SendInput{Body: "hello", GroupID: "b"})
		s.sendBatch(memsqs.SendInput{Body: "hello", GroupID: "a"}, memsqs.SendInput{Body: "bye", GroupID: "a"})
		s.receive(all)
		s.advance(5 * time.Minute)
		s.send(memsqs.SendInput{Body: "hello", GroupID: "b"})
		s.receive(all)
	}},
	{"a send to a FIFO queue can be refused", fifo(memsqs.FIFOConfig{}), func(s *script) {
		s.send(memsqs.SendInput{Body: "x"})
		s.send(memsqs.SendInput{Body: "x", GroupID: "a"})
		s.send(memsqs.SendInput{Body: "x", GroupID: "a", DeduplicationID: "two words"})
		s.sendBatch(inGroup("a", "x"), memsqs.SendInput{Body: "x", GroupID: "a"})
		s.sendBatch(inGroup("a", "x"), memsqs.SendInput{Body: "x", DeduplicationID: "y"})
		late := inGroup("a", "x")
		late.Delay = new(time.Second)
		s.send(late)
		s.sendBatch(late, inGroup("a", "y"))
		late.Delay = new(time.Duration(0))
		s.send(late)
		s.receive(all)
	}},
	{"a receipt handle of a FIFO queue expires", fifo(memsqs.FIFOConfig{}), func(s *script) {
		s.send(inGroup("a", "x"))
		s.receive(all)
		s.advance(30 * time.Second)
		s.delete(s.handle(1))
		s.deleteBatch(s.handle(1))
		s.receive(all)
		s.delete(s.handle(2))
		s.delete(s.handle(2))
		s.change(s.handle(2), 0)
	}},
	{"an attempt is repeated with the same handles", fifo(memsqs.FIFOConfig{}), func(s *script) {
		s.sendBatch(inGroup("a", "x"), inGroup("a", "y"))
		attempt := memsqs.ReceiveInput{MaxMessages: 10, AttemptID: "attempt"}
		s.receive(attempt)
		s.advance(10 * time.Second)
		s.receive(attempt)
		s.delete(s.handle(1))
		s.receive(attempt)
		attempt.AttemptID = "two words"
		s.receive(attempt)
	}},
	{"a full FIFO queue is not an error", fifo(memsqs.FIFOConfig{MaxInFlight: 1}), func(s *script) {
		s.sendBatch(inGroup("a", "x"), inGroup("b", "y"))
		s.receive(all)
		s.receive(all)
	}},
}
