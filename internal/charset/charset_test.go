package charset_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/internal/charset"
)

// The characters at both sides of each bound of A1.5, and bytes that are no UTF-8.
func TestIndexDisallowed(t *testing.T) {
	for _, allowed := range []string{"", "\t\n\r", " ", "\x7f", "\u0080", "\ud7ff", "\ue000", "\ufffd", "\U00010000", "\U0010ffff"} {
		require.Equal(t, -1, charset.IndexDisallowed("ä"+allowed), "%+q", allowed)
	}
	for _, refused := range []string{"\x00", "\x08", "\x0b", "\x0c", "\x0e", "\x1f", "\ufffe", "\uffff", "\x80", "\xff", "\xed\xa0\x80"} {
		require.Equal(t, 2, charset.IndexDisallowed("ä"+refused+"b"), "%+q", refused)
	}
}
