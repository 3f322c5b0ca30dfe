package api

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/memsqs/memsqs"
)

// The limits of move tasks (A20.5, A20.9).
const (
	maxMoveRate  = 500 // messages per second
	maxMoveTasks = 10  // that are listed, and remembered, of a queue
)

// A status of a move task is as the API spells it.
const (
	running    = "RUNNING"
	completed  = "COMPLETED"
	cancelling = "CANCELLING"
	cancelled  = "CANCELLED"
	failed     = "FAILED"
)

// A moveTask moves messages of a queue. Its goroutine ends with it.
type moveTask struct {
	id          string
	source      *queue
	destination *queue // nil if each message goes where it came from
	rate        int    // messages per second; 0 for no limit
	startedAt   time.Time
	toMove      int64  // messages that were there at the start
	redriven    uint64 // by the source before it
	cancel      context.CancelFunc
	underWay    chan struct{} // closed when the timer of the next message is there
	done        chan struct{} // closed at the end

	// The mutex of the source guards them.
	status  string
	moved   int // at the end
	failure string
}

// StartMessageMoveTask starts to move the messages of a dead-letter queue that are not
// in flight. There is no end to the time that it can take, or to the number of tasks.
func (c *Caller) StartMessageMoveTask(ctx context.Context, in *StartMessageMoveTaskInput) (*StartMessageMoveTaskOutput, error) {
	t, err := c.Service.startMoveTask(in)
	if err != nil {
		return nil, err
	}
	if t.rate > 0 {
		<-t.underWay
	}
	return &StartMessageMoveTaskOutput{TaskHandle: t.handle()}, nil
}

func (s *Service) startMoveTask(in *StartMessageMoveTaskInput) (*moveTask, *Error) {
	s.setup.Lock()
	defer s.setup.Unlock()
	t, err := s.newMoveTask(in)
	if err != nil {
		return nil, err
	}
	return t, t.start()
}

// newMoveTask returns the task that in asks for, or refuses it.
func (s *Service) newMoveTask(in *StartMessageMoveTaskInput) (*moveTask, *Error) {
	source, err := s.findARN("SourceArn", in.SourceArn)
	if err != nil {
		return nil, err
	}
	t := &moveTask{
		id:        newUUID(),
		source:    source,
		rate:      number(in.MaxNumberOfMessagesPerSecond),
		startedAt: s.now(),
		underWay:  make(chan struct{}),
		done:      make(chan struct{}),
		status:    running,
	}
	if in.DestinationArn != nil {
		if t.destination, err = s.findARN("DestinationArn", in.DestinationArn); err != nil {
			return nil, err
		}
	}
	switch {
	case !within(in.MaxNumberOfMessagesPerSecond, 1, maxMoveRate):
		return nil, invalid("MaxNumberOfMessagesPerSecond", t.rate, "You must enter a number that's between 1 and 500.")
	case t.destination == source:
		return nil, InvalidParameterValue.errorf("Source queue arn and destination queue arn cannot be the same.")
	case t.destination != nil && (t.destination.fifo != nil) != (source.fifo != nil):
		return nil, InvalidParameterValue.errorf("Source queue and destination queue must be of the same type.")
	case len(s.sources(source)) == 0:
		return nil, InvalidParameterValue.errorf("Source queue must be configured as a Dead Letter Queue.")
	}
	return t, nil
}

// findARN returns the queue whose ARN is the value of a parameter.
func (s *Service) findARN(name string, value *string) (*queue, *Error) {
	if value == nil {
		return nil, missing(name)
	}
	a, ok := parseARN(*value)
	if !ok {
		return nil, InvalidParameterValue.errorf("You must use this format to specify the %s: arn:<partition>:<service>:<region>:<account-id>:<resource-id>", name)
	}
	q := s.lookUp(a)
	if q == nil {
		return nil, ResourceNotFound.errorf("The resource that you specified for the %s parameter doesn't exist.", name)
	}
	return q, nil
}

// start starts the task, unless its source has one that is not over.
func (t *moveTask) start() *Error {
	q := t.source
	q.mu.Lock()
	defer q.mu.Unlock()
	if n := len(q.moves); n > 0 && !q.moves[n-1].isOver() {
		return InvalidParameterValue.errorf("There is already a task running. Only one active task is allowed for a source queue arn at a given time.")
	}
	stats := q.Stats()
	t.toMove, t.redriven = int64(stats.Visible+stats.Delayed), stats.Redriven
	if len(q.moves) == maxMoveTasks {
		q.moves = slices.Delete(q.moves, 0, 1)
	}
	q.moves = append(q.moves, t)
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel = cancel
	go t.run(ctx)
	return nil
}

// A moveContext notices when Redrive begins to wait, which it does for its context
// and its next timer. Then a ManualClock can be advanced.
type moveContext struct {
	context.Context
	waits func()
}

func (c moveContext) Done() <-chan struct{} {
	c.waits()
	return c.Context.Done()
}

// run moves the messages.
func (t *moveTask) run(ctx context.Context) {
	defer close(t.done)
	defer t.cancel()
	waits := sync.OnceFunc(func() { close(t.underWay) })
	defer waits()
	moved, err := t.source.redrive(moveContext{ctx, waits}, t.destination, t.rate)
	t.source.mu.Lock()
	defer t.source.mu.Unlock()
	t.moved = moved
	switch {
	case err == nil:
		t.status = completed
	case errors.Is(err, memsqs.ErrClosed):
		t.status, t.failure = failed, QueueDoesNotExist.Code // A20.10
	default:
		t.status = cancelled
	}
}

// redrive moves messages of the queue to another of its type, as Redrive does.
func (q *queue) redrive(ctx context.Context, to *queue, maxPerSecond int) (moved int, err error) {
	if to == nil {
		to = new(queue)
	}
	if q.fifo != nil {
		return q.fifo.Redrive(ctx, to.fifo, maxPerSecond)
	}
	return q.standard.Redrive(ctx, to.standard, maxPerSecond)
}

// CancelMessageMoveTask ends a task. It returns when the task has ended, so that what
// it says of it stays true.
func (c *Caller) CancelMessageMoveTask(ctx context.Context, in *CancelMessageMoveTaskInput) (*CancelMessageMoveTaskOutput, error) {
	if in.TaskHandle == nil {
		return nil, missing("TaskHandle")
	}
	t, refusal := c.Service.findTask(*in.TaskHandle)
	if refusal != nil {
		return nil, refusal
	}
	if err := t.stop(); err != nil {
		return nil, err
	}
	select {
	case <-t.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return &CancelMessageMoveTaskOutput{ApproximateNumberOfMessagesMoved: t.describe().ApproximateNumberOfMessagesMoved}, nil
}

// findTask returns the task with the given handle.
func (s *Service) findTask(handle string) (*moveTask, *Error) {
	h, ok := parseTaskHandle(handle)
	if !ok {
		return nil, InvalidParameterValue.errorf("Value for parameter TaskHandle is invalid.")
	}
	q, refusal := s.findARN("SourceArn", &h.SourceARN)
	if refusal != nil {
		return nil, refusal
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.moves {
		if t.id == h.TaskID {
			return t, nil
		}
	}
	return nil, ResourceNotFound.errorf("Task does not exist.")
}

// stop begins to cancel the task.
func (t *moveTask) stop() *Error {
	t.source.mu.Lock()
	defer t.source.mu.Unlock()
	if t.status != running {
		return InvalidParameterValue.errorf("Only active tasks can be cancelled.")
	}
	t.status = cancelling
	t.cancel()
	return nil
}

// cancelMoves cancels the queue's task, if one is running.
func (q *queue) cancelMoves() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.moves {
		t.cancel()
	}
}

// ListMessageMoveTasks returns the latest tasks of a queue, newest first.
func (c *Caller) ListMessageMoveTasks(ctx context.Context, in *ListMessageMoveTasksInput) (*ListMessageMoveTasksOutput, error) {
	q, refusal := c.Service.findARN("SourceArn", in.SourceArn)
	if refusal != nil {
		return nil, refusal
	}
	if !within(in.MaxResults, 1, maxMoveTasks) {
		return nil, invalid("MaxResults", *in.MaxResults, "You must enter a number that's between 1 and 10.")
	}
	n := cmp.Or(number(in.MaxResults), 1)
	q.mu.Lock()
	tasks := slices.Clone(q.moves)
	q.mu.Unlock()
	slices.Reverse(tasks)
	out := new(ListMessageMoveTasksOutput)
	for _, t := range tasks[:min(n, len(tasks))] {
		out.Results = append(out.Results, t.describe())
	}
	return out, nil
}

// describe returns the task as it is listed (A20.9).
func (t *moveTask) describe() ListMessageMoveTasksResultEntry {
	redriven := t.source.Stats().Redriven
	t.source.mu.Lock()
	defer t.source.mu.Unlock()
	e := ListMessageMoveTasksResultEntry{
		ApproximateNumberOfMessagesMoved:  int64(t.moved),
		ApproximateNumberOfMessagesToMove: &t.toMove,
		FailureReason:                     t.failure,
		SourceArn:                         t.source.arn.String(),
		StartedTimestamp:                  t.startedAt.UnixMilli(),
		Status:                            t.status,
	}
	if !t.isOver() {
		e.ApproximateNumberOfMessagesMoved = int64(redriven - t.redriven)
	}
	if t.status == running {
		e.TaskHandle = t.handle()
	}
	if t.destination != nil {
		e.DestinationArn = t.destination.arn.String()
	}
	if t.rate > 0 {
		e.MaxNumberOfMessagesPerSecond = new(t.rate)
	}
	return e
}

// isOver reports whether the task has ended. The mutex of its source must be held.
func (t *moveTask) isOver() bool { return t.status != running && t.status != cancelling }

// A taskHandle is what the handle of a task says, in base64 (A20.6).
type taskHandle struct {
	TaskID    string `json:"taskId"`
	SourceARN string `json:"sourceArn"`
}

func (t *moveTask) handle() string {
	return base64.StdEncoding.EncodeToString([]byte(marshal(taskHandle{t.id, t.source.arn.String()})))
}

// parseTaskHandle returns what a handle says, or false if it is not one.
func parseTaskHandle(handle string) (h taskHandle, ok bool) {
	text, err := base64.StdEncoding.DecodeString(handle)
	if err != nil || json.Unmarshal(text, &h) != nil || h.TaskID == "" {
		return h, false
	}
	_, ok = parseARN(h.SourceARN)
	return h, ok
}
