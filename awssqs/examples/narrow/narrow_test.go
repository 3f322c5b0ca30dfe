package narrow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/awssqs"
	"github.com/memsqs/memsqs/awssqs/examples/narrow"
	"github.com/memsqs/memsqs/sqshttp"
)

// newShop returns a shop on a Fake, and the queue behind it.
func newShop(t *testing.T) (*narrow.Shop, *memsqs.FIFOQueue) {
	t.Helper()
	q, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{Name: "orders.fifo"})
	require.NoError(t, err)
	server := sqshttp.NewServer(sqshttp.Options{})
	require.NoError(t, server.Add(q))
	return &narrow.Shop{Queue: awssqs.NewFake(server), QueueURL: "orders.fifo"}, q
}

// An order that is placed twice is there once. A mock would have counted calls.
func TestOrderIsPlacedOnce(t *testing.T) {
	shop, q := newShop(t)
	order := narrow.Order{ID: "1", Customer: "ada", Item: "book"}
	require.NoError(t, shop.Place(t.Context(), order))
	require.NoError(t, shop.Place(t.Context(), order))

	orders := q.Peek(10)
	require.Len(t, orders, 1)
	require.JSONEq(t, `{"ID":"1","Customer":"ada","Item":"book"}`, orders[0].Body)
}

// SQS takes no space in a message group, which a mock would not have said.
func TestCustomerWithASpaceIsRefused(t *testing.T) {
	shop, _ := newShop(t)
	err := shop.Place(t.Context(), narrow.Order{ID: "1", Customer: "ada lovelace"})
	require.ErrorContains(t, err, "MessageGroupId can only include alphanumeric and punctuation characters")
}

// A shop whose queue is gone is closed.
func TestShopIsClosed(t *testing.T) {
	shop := &narrow.Shop{Queue: awssqs.NewFake(sqshttp.NewServer(sqshttp.Options{})), QueueURL: "orders.fifo"}
	require.ErrorIs(t, shop.Place(t.Context(), narrow.Order{ID: "1", Customer: "ada"}), narrow.ErrClosed)
}
