package api

import (
	"time"

	"github.com/memsqs/memsqs"
)

// settings are what can be set of a queue. What the engine has of them is in its
// configuration, the extras are in the queue.
type settings struct {
	memsqs.FIFOConfig                     // for both types, but for
	standardDeadLetter *memsqs.DeadLetter // instead of DeadLetter in a standard queue

	extras
}

// extras are the settings that the engine has no use for.
type extras struct {
	managedSSE bool
}

// defaultExtras are those of a new queue.
var defaultExtras = extras{managedSSE: true}

// An edit puts into settings what a call wants to set. It can be made to any
// settings of a queue, and what it does not want to set stays.
type edit func(*settings)

// fromStandard takes over what a standard queue is configured with.
func (s *settings) fromStandard(cfg *memsqs.Config) {
	s.VisibilityTimeout = cfg.VisibilityTimeout
	s.Delay = cfg.Delay
	s.WaitTime = cfg.WaitTime
	s.Retention = cfg.Retention
	s.MaxMessageSize = cfg.MaxMessageSize
	s.standardDeadLetter = cfg.DeadLetter
}

// toStandard is the reverse of fromStandard.
func (s *settings) toStandard(cfg *memsqs.Config) {
	cfg.VisibilityTimeout = s.VisibilityTimeout
	cfg.Delay = s.Delay
	cfg.WaitTime = s.WaitTime
	cfg.Retention = s.Retention
	cfg.MaxMessageSize = s.MaxMessageSize
	cfg.DeadLetter = s.standardDeadLetter
}

// settings returns the queue's settings. q.mu must be held.
func (q *queue) settings() settings {
	s := settings{extras: q.extras}
	if q.fifo != nil {
		s.FIFOConfig = q.fifo.Config()
	} else {
		cfg := q.standard.Config()
		s.fromStandard(&cfg)
	}
	return s
}

// change makes an edit to the queue's settings, all of it or nothing. Only the
// engine can refuse it.
func (q *queue) change(e edit, now time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := settings{}
	var err error
	if q.fifo != nil {
		err = q.fifo.Configure(func(cfg *memsqs.FIFOConfig) {
			s = settings{FIFOConfig: *cfg, extras: q.extras}
			e(&s)
			*cfg = s.FIFOConfig
		})
	} else {
		err = q.standard.Configure(func(cfg *memsqs.Config) {
			s = settings{extras: q.extras}
			s.fromStandard(cfg)
			e(&s)
			s.toStandard(cfg)
		})
	}
	if err != nil {
		return err
	}
	q.extras, q.modifiedAt = s.extras, now
	return nil
}
