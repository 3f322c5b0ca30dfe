package api

import (
	"context"
	"time"
)

// purgeInterval is the time in which a queue can be purged once (A14.3).
const purgeInterval = 60 * time.Second

// PurgeQueue drops all messages of a queue.
func (c *Caller) PurgeQueue(ctx context.Context, in *PurgeQueueInput) (*PurgeQueueOutput, error) {
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	now := c.Service.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	if !c.Service.Relaxed && !q.purged.IsZero() && now.Sub(q.purged) < purgeInterval {
		return nil, PurgeQueueInProgress.errorf("Only one PurgeQueue operation on %s is allowed every 60 seconds.", q.arn.name)
	}
	if err := q.Purge(ctx); err != nil {
		return nil, c.fault(err, wholeCall)
	}
	q.purged = now
	return new(PurgeQueueOutput), nil
}
