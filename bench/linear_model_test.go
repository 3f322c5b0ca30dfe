package main

import (
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// The models say what a queue answers that is called by one goroutine alone:
// each has a step, which reports whether a call can be answered as it was in a
// given state, and the state after it. States are values; a step does not
// change the one that it is given. The zero state is an empty queue.

// A share is what a call is to one message, or to one group.
type share struct {
	call
	of int
}

var (
	messageModel = newModel(stepMessage, equal, sharesOfMessages)
	groupModel   = newModel(stepGroup, slices.Equal, sharesOfGroups)
	wholeModel   = newModel(stepWhole, wholeState.equal, nil)
)

// newModel returns the model with a step that takes inputs of type I: shares,
// if a history has partitions, and else calls.
func newModel[S, I any](step func(S, I) (S, bool), equal func(a, b S) bool, partition func([]porcupine.Operation) [][]porcupine.Operation) porcupine.Model {
	return porcupine.Model{
		Partition: partition,
		Init:      func() any { return *new(S) },
		Step: func(s, in, _ any) (bool, any) {
			next, ok := step(s.(S), in.(I))
			return ok, next
		},
		Equal: func(a, b any) bool { return equal(a.(S), b.(S)) },
	}
}

func equal[S comparable](a, b S) bool { return a == b }

// A messageState is the state of a message in a standard queue.
type messageState struct {
	there, visible bool
	receives       int
}

func stepMessage(s messageState, c share) (messageState, bool) {
	switch c.kind {
	case send_:
		return messageState{there: true, visible: true}, true
	case receive_:
		got := c.gotOf(func(m int) bool { return m == c.of })
		if len(got) == 0 {
			return s, !s.visible
		}
		next := messageState{there: true, visible: !c.hide, receives: s.receives + 1}
		return next, s.visible && len(got) == 1 && got[0].receive == next.receives
	case delete_:
		return messageState{}, c.answer == ok
	case change_:
		if !s.there {
			return s, c.answer == gone
		}
		s.visible = !c.hide
		return s, c.answer == ok
	}
	panic("no such call: " + c.kind)
}

// sharesOfMessages gives each message the calls that name it, the receives that
// returned it, and those that did not although they had room.
func sharesOfMessages(history []porcupine.Operation) [][]porcupine.Operation {
	return partition(history, func(message int) int { return message })
}

// A groupState is the messages of a group, in the order in which they were
// sent.
type groupState = []groupMember

type groupMember struct {
	delivered // receive is that of the latest, or 0
	hidden    bool
}

func stepGroup(s groupState, c share) (groupState, bool) {
	if c.kind == send_ {
		return append(slices.Clip(s), groupMember{delivered: c.call.of}), true
	}
	if c.kind == receive_ {
		return receiveFromGroup(s, c)
	}
	i := slices.IndexFunc(s, func(m groupMember) bool { return m.message == c.call.of.message })
	switch {
	case i < 0:
		return s, c.answer == ok && c.kind == delete_ || c.answer == gone && c.kind == change_
	case !s[i].hidden || s[i].delivered != c.call.of: // the handle is not of the receive that hides it
		return s, c.answer == expired
	}
	s = slices.Clone(s)
	if c.kind == delete_ {
		return slices.Delete(s, i, i+1), c.answer == ok
	}
	s[i].hidden = c.hide
	return s, c.answer == ok
}

// receiveFromGroup is stepGroup for a receive: it takes those before the first
// that is hidden, and all of them if it had room for more or went on to another
// group.
func receiveFromGroup(s groupState, c share) (groupState, bool) {
	got := c.gotOf(func(m int) bool { return groupOf(m) == c.of })
	run := slices.IndexFunc(s, func(m groupMember) bool { return m.hidden })
	if run < 0 {
		run = len(s)
	}
	all := len(c.got) < c.most || groupOf(c.got[len(c.got)-1].message) != c.of
	if len(got) > run || all && len(got) < run {
		return s, false
	}
	s = slices.Clone(s)
	for i, d := range got {
		s[i].receive++
		s[i].hidden = c.hide
		if s[i].delivered != d {
			return s, false
		}
	}
	return s, true
}

// sharesOfGroups gives each group the calls that name a message of it, the
// receives that returned one, and those that did not although they had room.
func sharesOfGroups(history []porcupine.Operation) [][]porcupine.Operation {
	return partition(history, groupOf)
}

// A wholeState is all messages of a standard queue, each with its latest
// receive: those that are visible in the order in which they became so.
type wholeState struct{ visible, hidden []delivered }

func (s wholeState) equal(o wholeState) bool {
	return slices.Equal(s.visible, o.visible) && slices.Equal(s.hidden, o.hidden)
}

func stepWhole(s wholeState, c call) (wholeState, bool) {
	switch c.kind {
	case send_:
		return s.put(c.of, false), true
	case receive_:
		n := min(c.most, len(s.visible))
		if len(c.got) != n {
			return s, false
		}
		taken := slices.Clone(s.visible[:n])
		s.visible = s.visible[n:]
		for i, d := range c.got {
			taken[i].receive++
			if taken[i] != d {
				return s, false
			}
			s = s.put(d, c.hide)
		}
		return s, true
	}
	s, d, there := s.take(c.of.message)
	switch {
	case c.kind == delete_:
		return s, c.answer == ok
	case !there:
		return s, c.answer == gone
	}
	return s.put(d, c.hide), c.answer == ok
}

// put returns s with a message behind the others.
func (s wholeState) put(d delivered, hide bool) wholeState {
	if hide {
		s.hidden = append(slices.Clip(s.hidden), d)
	} else {
		s.visible = append(slices.Clip(s.visible), d)
	}
	return s
}

// take returns s without a message, and that.
func (s wholeState) take(message int) (_ wholeState, d delivered, there bool) {
	for _, list := range []*[]delivered{&s.visible, &s.hidden} {
		if i := slices.IndexFunc(*list, func(d delivered) bool { return d.message == message }); i >= 0 {
			d = (*list)[i]
			*list = slices.Delete(slices.Clone(*list), i, i+1)
			return s, d, true
		}
	}
	return s, d, false
}

// gotOf returns what a receive returned of some messages.
func (c call) gotOf(some func(message int) bool) []delivered {
	return slices.DeleteFunc(slices.Clone(c.got), func(d delivered) bool { return !some(d.message) })
}

// partition splits a history by a property of messages.
func partition(history []porcupine.Operation, property func(message int) int) [][]porcupine.Operation {
	shares := make(map[int][]porcupine.Operation)
	for _, op := range history {
		if c := op.Input.(call); c.kind == send_ {
			shares[property(c.of.message)] = nil
		}
	}
	for _, op := range history {
		c := op.Input.(call)
		for p := range shares {
			mine := c.kind != receive_ && property(c.of.message) == p
			if c.kind == receive_ {
				mine = len(c.got) < c.most || len(c.gotOf(func(m int) bool { return property(m) == p })) > 0
			}
			if mine {
				op.Input = share{c, p}
				shares[p] = append(shares[p], op)
			}
		}
	}
	var all [][]porcupine.Operation
	for _, ops := range shares {
		all = append(all, ops)
	}
	return all
}

// The models refuse what must not happen: a check that accepts everything would
// find nothing. All calls of these histories are made one after the other,
// but for those of the last.
func TestModelsRefuseWhatMustNotHappen(t *testing.T) {
	sent := func(m int) call { return call{kind: send_, of: delivered{message: m}} }
	got := func(most int, hide bool, got ...delivered) call {
		return call{kind: receive_, most: most, hide: hide, got: got}
	}
	deleted := func(m, receive int, a answer) call {
		return call{kind: delete_, of: delivered{m, receive}, answer: a}
	}
	changed := func(m, receive int, hide bool, a answer) call {
		return call{kind: change_, of: delivered{m, receive}, hide: hide, answer: a}
	}
	standard := []porcupine.Model{messageModel, wholeModel}
	fifo := []porcupine.Model{groupModel}
	every := append(standard, fifo...)

	for _, test := range []struct {
		name    string
		models  []porcupine.Model
		history []call
		want    bool
	}{
		{"a life", every, []call{sent(2), got(1, true, delivered{2, 1}), got(1, true), changed(2, 1, false, ok), got(1, true, delivered{2, 2}), deleted(2, 2, ok), got(3, true)}, true},
		{"handed out twice", every, []call{sent(2), got(1, true, delivered{2, 1}), got(1, true, delivered{2, 2})}, false},
		{"twice in one receive", every, []call{sent(2), got(2, false, delivered{2, 1}, delivered{2, 1})}, false},
		{"not counted", every, []call{sent(2), got(1, false, delivered{2, 1}), got(1, false, delivered{2, 1})}, false},
		{"lost", every, []call{sent(2), got(1, true)}, false},
		{"lost by a change", every, []call{sent(2), got(1, true, delivered{2, 1}), changed(2, 1, false, ok), got(1, true)}, false},
		{"back after a delete", every, []call{sent(2), got(1, true, delivered{2, 1}), deleted(2, 1, ok), got(1, true, delivered{2, 2})}, false},
		{"received before it was sent", every, []call{got(1, true, delivered{2, 1}), sent(2)}, false},
		{"changed after a delete", every, []call{sent(2), got(1, true, delivered{2, 1}), deleted(2, 1, ok), changed(2, 1, true, ok)}, false},
		{"out of order", []porcupine.Model{wholeModel, groupModel}, []call{sent(2), sent(4), got(1, true, delivered{4, 1})}, false},
		{"empty while one of two is visible", standard, []call{sent(2), sent(4), got(1, true, delivered{2, 1}), got(1, true)}, false},
		{"an old handle, standard", standard, []call{sent(2), got(1, false, delivered{2, 1}), got(1, true, delivered{2, 2}), deleted(2, 1, ok)}, true},
		{"an old handle, FIFO", fifo, []call{sent(2), got(1, false, delivered{2, 1}), got(1, true, delivered{2, 2}), deleted(2, 1, ok)}, false},
		{"an old handle is expired, FIFO", fifo, []call{sent(2), got(1, false, delivered{2, 1}), got(1, true, delivered{2, 2}), deleted(2, 1, expired)}, true},
		{"past a message in flight, FIFO", fifo, []call{sent(2), sent(4), got(1, true, delivered{2, 1}), got(1, true, delivered{4, 1})}, false},
		{"on to another group too early", fifo, []call{sent(2), sent(4), sent(1), got(2, true, delivered{2, 1}, delivered{1, 1})}, false},
		{"on to another group", fifo, []call{sent(2), sent(4), sent(1), got(3, true, delivered{2, 1}, delivered{4, 1}, delivered{1, 1})}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			for i := range test.history {
				test.history[i].begin, test.history[i].end = int64(2*i), int64(2*i+1)
			}
			for _, m := range test.models {
				require.Equal(t, test.want, porcupine.CheckOperations(m, operations(test.history)))
			}
		})
	}
}
