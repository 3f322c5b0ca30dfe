package api_test

import (
	"testing"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
	"github.com/stretchr/testify/require"
)

// newCaller returns a caller of a new service.
func newCaller() *api.Caller {
	s := api.NewService(api.Options{Region: "eu-north-1", Account: "123456789012"})
	return s.Caller("", "", "http://localhost")
}

func TestCreateQueueMakesAQueueThatGoCodeFinds(t *testing.T) {
	c := newCaller()
	out, err := c.CreateQueue(t.Context(), &api.CreateQueueInput{QueueName: new("jobs.fifo"), Attributes: map[string]string{"FifoQueue": "True", "DelaySeconds": "5"}})
	require.NoError(t, err)
	require.Equal(t, "http://localhost/123456789012/jobs.fifo", out.QueueUrl)
	require.Nil(t, c.Service.Queue("jobs.fifo"))
	require.Equal(t, "5s", c.Service.FIFOQueue("jobs.fifo").Config().Delay.String())
}

func TestAddRefuses(t *testing.T) {
	s := newCaller().Service
	named := func(name string) *memsqs.Queue {
		q, err := memsqs.NewQueue(memsqs.Config{Name: name})
		require.NoError(t, err)
		return q
	}
	fifo, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{Name: "jobs"})
	require.NoError(t, err)
	require.NoError(t, s.Add(named("taken")))
	for _, q := range []any{nil, (*memsqs.Queue)(nil), "jobs", named(""), named("a b"), named("jobs.fifo"), named("taken"), fifo} {
		require.ErrorIs(t, s.Add(q), memsqs.ErrInvalidParameterValue)
	}
}
