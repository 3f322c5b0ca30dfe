package memsqs

import "context"

// checkBatch refuses a batch that does not have 1 to 10 entries (A15.1).
func (q *core) checkBatch(entries int) error {
	switch {
	case entries == 0:
		return q.refuse(ErrBatchEmpty, "the batch has 0 entries; it must have 1 to %d", maxBatchEntries)
	case entries > maxBatchEntries:
		return q.refuse(ErrBatchTooMany, "the batch has %d entries; it must have 1 to %d", entries, maxBatchEntries)
	}
	return nil
}

// checkSendBatch refuses a batch of messages as a whole. The limit of its size is
// the same for all queues (A15.2).
func (q *core) checkSendBatch(ctx context.Context, in []SendInput) error {
	if err := q.usable(ctx); err != nil {
		return err
	}
	if err := q.checkBatch(len(in)); err != nil {
		return err
	}
	total := 0
	for i := range in {
		total += in[i].Size()
	}
	if total > maxBatchSize {
		return q.refuse(ErrBatchTooLong, "the messages have %d bytes together, their attributes included; they must have at most %d", total, maxBatchSize)
	}
	return nil
}

// sendBatch puts on the queue those messages of a batch that can be drafted.
func (q *core) sendBatch(ctx context.Context, in []SendInput, makeDraft func(SendInput) (draft, error), put func(draft) identity) ([]SendResult, error) {
	var failed failures
	var buf [maxBatchEntries]draft
	drafts := buf[:len(in)]
	for i := range in {
		var err error
		drafts[i], err = makeDraft(in[i])
		failed.add(i, err)
	}
	if err := q.enter(ctx); err != nil {
		return nil, err
	}
	var ids [maxBatchEntries]identity
	for i := range drafts {
		if drafts[i].message != nil {
			ids[i] = put(drafts[i])
		}
	}
	q.leave()
	return results(ids[:len(in)]), failed.err()
}

// DeleteBatch is [Queue.Delete] for up to 10 receipt handles at once. If some
// are refused it returns a [*BatchError]. The whole batch is refused with
// ErrBatchEmpty or ErrBatchTooMany.
func (q *core) DeleteBatch(ctx context.Context, receiptHandles []string) error {
	return applyBatch(q, ctx, receiptHandles, q.delete)
}

// ChangeVisibilityBatch is [Queue.ChangeVisibility] for up to 10 messages at
// once. If some entries are refused it returns a [*BatchError]. The whole batch
// is refused with ErrBatchEmpty or ErrBatchTooMany.
func (q *core) ChangeVisibilityBatch(ctx context.Context, in []VisibilityChange) error {
	return applyBatch(q, ctx, in, q.changeVisibility)
}

// applyBatch applies an operation, which wants q.mu held, to each entry of a
// batch in turn.
func applyBatch[E any](q *core, ctx context.Context, entries []E, apply func(E) error) error {
	if err := q.usable(ctx); err != nil {
		return err
	}
	if err := q.checkBatch(len(entries)); err != nil {
		return err
	}
	if err := q.enter(ctx); err != nil {
		return err
	}
	defer q.leave()
	var failed failures
	for i, e := range entries {
		failed.add(i, apply(e))
	}
	return failed.err()
}
