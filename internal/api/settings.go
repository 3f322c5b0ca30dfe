package api

import (
	"time"

	"github.com/memsqs/memsqs"
)

// settings are what can be set of a queue. What the engine knows of them is in its
// configuration alone, the extras are in the queue.
type settings struct {
	memsqs.FIFOConfig                     // for both types, but for
	standardDeadLetter *memsqs.DeadLetter // which a standard queue has for DeadLetter

	extras
}

// extras are the settings that the engine has no use for.
type extras struct {
	policy             string              // JSON, or empty
	redriveAllow       *redriveAllowPolicy // nil if it was not set
	kmsKey             string              // empty for none
	kmsReuse           int                 // seconds, or 0 if it was not set
	managedSSE         bool
	perGroupThroughput bool // FifoThroughputLimit is perMessageGroupId

	modifiedAt time.Time
}

// newExtras are the extras of a queue that is made at the given time (A12.1).
func newExtras(now time.Time) extras {
	return extras{managedSSE: true, modifiedAt: now}
}

// An edit puts into settings what a call wants to set, and leaves the others. It can
// be made more than once.
type edit func(*settings)

// fromStandard takes over the configuration of a standard queue.
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

// deadLetters returns the name of the queue that dead letters go to, and after how
// many receives; that is 0 if they go nowhere.
func (s *settings) deadLetters() (name string, maxReceiveCount int) {
	switch {
	case s.DeadLetter != nil:
		return s.DeadLetter.Queue.Config().Name, s.DeadLetter.MaxReceiveCount
	case s.standardDeadLetter != nil:
		return s.standardDeadLetter.Queue.Config().Name, s.standardDeadLetter.MaxReceiveCount
	}
	return "", 0
}

// setDeadLetters makes dead letters go to a queue, which must be of the type that
// the settings are of.
func (s *settings) setDeadLetters(to *queue, maxReceiveCount int) {
	if to.fifo != nil {
		s.DeadLetter = &memsqs.FIFODeadLetter{Queue: to.fifo, MaxReceiveCount: maxReceiveCount}
	} else {
		s.standardDeadLetter = &memsqs.DeadLetter{Queue: to.standard, MaxReceiveCount: maxReceiveCount}
	}
}

// settings returns the queue's settings.
func (q *queue) settings() settings {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.configuration()
	s.extras = q.extras
	return s
}

// configuration returns the settings that the engine knows.
func (q *queue) configuration() settings {
	if q.fifo != nil {
		return settings{FIFOConfig: q.fifo.Config()}
	}
	cfg := q.standard.Config()
	var s settings
	s.fromStandard(&cfg)
	return s
}

// change makes an edit to the queue's settings. What Go code configures meanwhile
// is not lost. The engine refuses it if the queue is closed. The mutex is held all the
// while, so that nobody sees the engine's settings without the extras.
func (q *queue) change(e edit) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	var s settings
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
	q.extras = s.extras
	return nil
}
