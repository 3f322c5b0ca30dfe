package uuid_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/internal/uuid"
)

// A UUID is of version 4, has lower-case digits, and is another each time.
func TestUUID(t *testing.T) {
	seen := make(map[string]bool)
	for range 1000 {
		s := uuid.New().String()
		require.Len(t, s, uuid.Len)
		require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, s)
		require.False(t, seen[s])
		seen[s] = true
	}
}
