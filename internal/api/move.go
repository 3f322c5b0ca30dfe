package api

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/uuid"
)

// The limits of move tasks (A20.5, A20.9).
const (
	maxMoveRate  = 500 // messages per second
	maxMoveTasks = 10  // that are listed, and remembered, of a queue
)

// The statuses of a move task, as the API spells them. There is no CANCELLING: a task
// that is cancelled ends at once.
const (
	running   = "RUNNING"
	completed = "COMPLETED"
	cancelled = "CANCELLED"
	failed    = "FAILED"
)

// A moveTask moves messages of a queue. It is not changed when it has started.
type moveTask struct {
	id          string
	source      *queue
	destination *queue // nil if each message goes where it came from
	rate        int    // messages per second; 0 for no limit
	startedAt   time.Time
	toMove      int64 // messages that were there at the start
	redrive     *memsqs.Redrive
	cancel      context.CancelFunc // of the redrive
}

// StartMessageMoveTask starts to move the messages of a dead-letter queue that are not
// in flight. Without a limit of the rate all have been moved when it returns. There is
// no end to the time that a task can take, or to the number of tasks.
func (c *Caller) StartMessageMoveTask(ctx context.Context, in *StartMessageMoveTaskInput) (*StartMessageMoveTaskOutput, error) {
	s := c.Service
	s.setup.Lock()
	defer s.setup.Unlock()
	t, err := c.newMoveTask(in)
	if err != nil {
		return nil, err
	}
	if err := c.start(t); err != nil {
		return nil, err
	}
	return &StartMessageMoveTaskOutput{TaskHandle: t.handle()}, nil
}

// newMoveTask returns the task that in asks for, or refuses it.
func (c *Caller) newMoveTask(in *StartMessageMoveTaskInput) (*moveTask, *Error) {
	source, err := c.findARN("SourceArn", in.SourceArn)
	if err != nil {
		return nil, err
	}
	t := &moveTask{
		id:        uuid.New().String(),
		source:    source,
		rate:      number(in.MaxNumberOfMessagesPerSecond),
		startedAt: c.Service.Now(),
	}
	if in.DestinationArn != nil {
		if t.destination, err = c.findARN("DestinationArn", in.DestinationArn); err != nil {
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
	case len(c.Service.sources(source)) == 0:
		return nil, InvalidParameterValue.errorf("Source queue must be configured as a Dead Letter Queue.")
	}
	return t, nil
}

// findARN returns the queue whose ARN is the value of a parameter. One in another
// region is not there for the caller.
func (c *Caller) findARN(name string, value *string) (*queue, *Error) {
	if value == nil {
		return nil, missing(name)
	}
	a, ok := parseARN(*value)
	if !ok {
		return nil, InvalidParameterValue.errorf("You must use this format to specify the %s: arn:<partition>:<service>:<region>:<account-id>:<resource-id>", name)
	}
	q := c.Service.lookUp(a)
	if q == nil || a.region != c.region {
		return nil, ResourceNotFound.errorf("The resource that you specified for the %s parameter doesn't exist.", name)
	}
	return q, nil
}

// start starts the task, unless its source has one that is not over.
func (c *Caller) start(t *moveTask) error {
	q := t.source
	q.mu.Lock()
	defer q.mu.Unlock()
	if n := len(q.moves); n > 0 && q.moves[n-1].status() == running {
		return InvalidParameterValue.errorf("There is already a task running. Only one active task is allowed for a source queue arn at a given time.")
	}
	stats := q.Stats()
	t.toMove = int64(stats.Visible + stats.Delayed)
	ctx, cancel := context.WithCancel(context.Background())
	r, err := q.startRedrive(ctx, t.destination, t.rate)
	if err != nil {
		cancel()
		return c.fault(err, wholeCall) // one of the two was closed just now
	}
	t.redrive, t.cancel = r, cancel
	if len(q.moves) == maxMoveTasks {
		q.moves = slices.Delete(q.moves, 0, 1)
	}
	q.moves = append(q.moves, t)
	return nil
}

// startRedrive starts to move messages of the queue to another of its type, or each to
// where it came from if that is nil.
func (q *queue) startRedrive(ctx context.Context, to *queue, maxPerSecond int) (*memsqs.Redrive, error) {
	if to == nil {
		to = new(queue)
	}
	if q.fifo != nil {
		return q.fifo.StartRedrive(ctx, to.fifo, maxPerSecond)
	}
	return q.standard.StartRedrive(ctx, to.standard, maxPerSecond)
}

// status returns the status of the task.
func (t *moveTask) status() string {
	select {
	case <-t.redrive.Done():
	default:
		return running
	}
	switch err := t.redrive.Err(); {
	case err == nil:
		return completed
	case errors.Is(err, memsqs.ErrClosed):
		return failed
	}
	return cancelled
}

// CancelMessageMoveTask ends a task. It has ended when the call returns, so that what
// it says of it stays true (A20.8).
func (c *Caller) CancelMessageMoveTask(ctx context.Context, in *CancelMessageMoveTaskInput) (*CancelMessageMoveTaskOutput, error) {
	if in.TaskHandle == nil {
		return nil, missing("TaskHandle")
	}
	t, err := c.findTask(*in.TaskHandle)
	if err != nil {
		return nil, err
	}
	if err := t.stop(); err != nil {
		return nil, err
	}
	return &CancelMessageMoveTaskOutput{ApproximateNumberOfMessagesMoved: int64(t.redrive.Moved())}, nil
}

// findTask returns the task with the given handle.
func (c *Caller) findTask(handle string) (*moveTask, *Error) {
	h, ok := parseTaskHandle(handle)
	if !ok {
		return nil, InvalidParameterValue.errorf("Value for parameter TaskHandle is invalid.")
	}
	q, refusal := c.findARN("SourceArn", &h.SourceARN)
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

// stop cancels the task, if it is running.
func (t *moveTask) stop() *Error {
	t.source.mu.Lock() // of two calls one finds it running
	defer t.source.mu.Unlock()
	if t.status() != running {
		return InvalidParameterValue.errorf("Only active tasks can be cancelled.")
	}
	t.cancel()
	<-t.redrive.Done()
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
	q, refusal := c.findARN("SourceArn", in.SourceArn)
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
	e := ListMessageMoveTasksResultEntry{
		Status:                            t.status(), // before the number, which then is final if it has ended
		ApproximateNumberOfMessagesMoved:  int64(t.redrive.Moved()),
		ApproximateNumberOfMessagesToMove: new(t.toMove),
		SourceArn:                         t.source.arn.String(),
		StartedTimestamp:                  t.startedAt.UnixMilli(),
	}
	switch e.Status {
	case running:
		e.TaskHandle = t.handle()
	case failed:
		e.FailureReason = QueueDoesNotExist.Code // A20.10
	}
	if t.destination != nil {
		e.DestinationArn = t.destination.arn.String()
	}
	if t.rate > 0 {
		e.MaxNumberOfMessagesPerSecond = new(t.rate)
	}
	return e
}

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
