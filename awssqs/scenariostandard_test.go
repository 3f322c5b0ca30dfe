package awssqs_test

import (
	"strings"
	"time"

	"github.com/memsqs/memsqs"
)

var standardScenarios = []scenario{
	{"a message has all that it was sent with", standard(memsqs.Config{}), func(s *script) {
		s.send(memsqs.SendInput{
			Body: "hello\r\n\U0001F600",
			Attributes: map[string]memsqs.Attribute{
				"text":   {DataType: "String.label", StringValue: "é"},
				"number": {DataType: "Number", StringValue: "007.0"},
				"bytes":  {DataType: "Binary", BinaryValue: []byte{0, 0xff}},
			},
			TraceHeader: "Root=1-5759e988-bd862e3fe1be46a994272793",
			GroupID:     "tenant",
		})
		s.advance(1234 * time.Millisecond)
		s.receive(all)
	}},
	{"a message comes back when its timeout has passed", standard(memsqs.Config{}), func(s *script) {
		s.send(memsqs.SendInput{Body: "hello"})
		s.receive(all)
		s.advance(30*time.Second - 1)
		s.receive(all)
		s.advance(1)
		s.receive(all)
		s.delete(s.handle(1))
		s.advance(30 * time.Second)
		s.receive(all)
	}},
	{"a receive returns one message unless it asks for more", standard(memsqs.Config{}), func(s *script) {
		s.sendBatch(memsqs.SendInput{Body: "a"}, memsqs.SendInput{Body: "b"}, memsqs.SendInput{Body: "c"})
		s.receive(memsqs.ReceiveInput{})
		s.receive(memsqs.ReceiveInput{MaxMessages: 2})
		s.receive(all)
	}},
	{"a delay of zero is not the queue's delay", standard(memsqs.Config{Delay: time.Minute}), func(s *script) {
		s.send(memsqs.SendInput{Body: "by default"})
		s.send(memsqs.SendInput{Body: "at once", Delay: new(time.Duration(0))})
		s.sendBatch(
			memsqs.SendInput{Body: "by default"},
			memsqs.SendInput{Body: "at once", Delay: new(time.Duration(0))},
			memsqs.SendInput{Body: "soon", Delay: new(time.Second)},
		)
		s.receive(all)
		s.advance(time.Second)
		s.receive(all)
		s.advance(time.Minute)
		s.receive(all)
	}},
	{"a visibility timeout of zero is not the queue's", standard(memsqs.Config{}), func(s *script) {
		s.send(memsqs.SendInput{Body: "hello"})
		s.receive(memsqs.ReceiveInput{VisibilityTimeout: new(time.Duration(0))})
		s.receive(memsqs.ReceiveInput{VisibilityTimeout: new(time.Second)})
		s.receive(all)
		s.advance(time.Second)
		s.receive(all)
	}},
	{"a wait of zero is not the queue's", standard(memsqs.Config{WaitTime: 20 * time.Second}), func(s *script) {
		s.receive(memsqs.ReceiveInput{WaitTime: new(time.Duration(0))})
	}},
	{"a visibility timeout can be changed, also to zero", standard(memsqs.Config{}), func(s *script) {
		s.sendBatch(memsqs.SendInput{Body: "a"}, memsqs.SendInput{Body: "b"})
		s.receive(all)
		s.change(s.handle(1), 0)
		s.receive(all)
		s.change(s.handle(3), 12*time.Hour)
		s.change(s.handle(2), time.Hour)
		s.changeBatch(
			memsqs.VisibilityChange{ReceiptHandle: s.handle(3), Timeout: 0},
			memsqs.VisibilityChange{ReceiptHandle: "garbage", Timeout: 0},
			memsqs.VisibilityChange{ReceiptHandle: s.handle(2), Timeout: -1},
			memsqs.VisibilityChange{ReceiptHandle: s.handle(2), Timeout: time.Second},
		)
		s.receive(all)
		s.advance(time.Second)
		s.receive(all)
		s.change(s.handle(2), 12*time.Hour) // beyond 12 hours in all
		s.delete(s.handle(2))
		s.change(s.handle(2), time.Minute)
	}},
	{"an entry of a batch can fail alone", standard(memsqs.Config{MaxMessageSize: 1024}), func(s *script) {
		s.sendBatch(
			memsqs.SendInput{Body: ""},
			memsqs.SendInput{Body: "good"},
			memsqs.SendInput{Body: "\x00"},
			memsqs.SendInput{Body: "\xff"},
			memsqs.SendInput{Body: strings.Repeat("x", 1025)},
			memsqs.SendInput{Body: "late", Delay: new(16 * time.Minute)},
			memsqs.SendInput{Body: "duplicate", DeduplicationID: "d"},
			memsqs.SendInput{Body: "as good"},
		)
		s.receive(all)
		s.deleteBatch("", s.handle(1), "garbage", s.handle(2), s.handle(1))
		s.advance(time.Minute)
		s.receive(all)
	}},
	{"a batch can be refused as a whole", standard(memsqs.Config{}), func(s *script) {
		s.sendBatch()
		s.deleteBatch()
		s.changeBatch()
		s.sendBatch(make([]memsqs.SendInput, 11)...)
		s.deleteBatch(make([]string, 11)...)
		s.changeBatch(make([]memsqs.VisibilityChange, 11)...)
		half := memsqs.SendInput{Body: strings.Repeat("x", 1<<19)}
		s.sendBatch(half, half, memsqs.SendInput{Body: "x"})
		s.sendBatch(half, half)
	}},
	{"a send can be refused", standard(memsqs.Config{}), func(s *script) {
		s.send(memsqs.SendInput{})
		s.send(memsqs.SendInput{Body: "\x00"})
		s.send(memsqs.SendInput{Body: "not UTF-8: \xff"})
		s.send(memsqs.SendInput{Body: strings.Repeat("x", 1<<20+1)})
		s.send(memsqs.SendInput{Body: "x", TraceHeader: "\xff"})
		s.send(memsqs.SendInput{Body: "x", DeduplicationID: "d"})
		s.send(memsqs.SendInput{Body: "x", GroupID: "two words"})
		s.send(memsqs.SendInput{Body: "x", Delay: new(time.Duration(-1))})
		s.send(memsqs.SendInput{Body: "x", Delay: new(15*time.Minute + 1)})
		for _, a := range []memsqs.Attribute{
			{},
			{DataType: "Text", StringValue: "x"},
			{DataType: "String"},
			{DataType: "String", StringValue: "\xff"},
			{DataType: "Number", StringValue: "x"},
			{DataType: "Binary", StringValue: "x"},
			{DataType: "String", StringValue: "x", BinaryValue: []byte("x")},
		} {
			s.send(memsqs.SendInput{Body: "x", Attributes: map[string]memsqs.Attribute{"a": a}})
		}
		s.receive(all)
	}},
	{"a receive can be refused", standard(memsqs.Config{MaxInFlight: 1}), func(s *script) {
		s.receive(memsqs.ReceiveInput{MaxMessages: 11})
		s.receive(memsqs.ReceiveInput{MaxMessages: -1})
		s.receive(memsqs.ReceiveInput{WaitTime: new(20*time.Second + 1)})
		s.receive(memsqs.ReceiveInput{WaitTime: new(time.Duration(-1))})
		s.receive(memsqs.ReceiveInput{VisibilityTimeout: new(12*time.Hour + 1)})
		s.receive(memsqs.ReceiveInput{VisibilityTimeout: new(time.Duration(-1))})
		s.receive(memsqs.ReceiveInput{AttemptID: "a"})
		s.send(memsqs.SendInput{Body: "x"})
		s.receive(all)
		s.receive(all)
	}},
	{"a receipt handle can be refused", standard(memsqs.Config{}), func(s *script) {
		s.delete("")
		s.delete("garbage")
		s.change("", 0)
		s.change("garbage", 0)
		s.change("garbage", -1)
		s.change("garbage", 12*time.Hour+1)
	}},
	{"a dead letter names its source", deadLettersFirst, func(s *script) {
		s.receive(all)
	}},
	{"a purge leaves nothing", standard(memsqs.Config{}), func(s *script) {
		s.sendBatch(memsqs.SendInput{Body: "a"}, memsqs.SendInput{Body: "b"})
		s.receive(memsqs.ReceiveInput{})
		s.purge()
		s.advance(time.Minute)
		s.receive(all)
		s.delete(s.handle(1))
		s.change(s.handle(1), 0)
	}},
}
