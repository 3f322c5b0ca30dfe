// Package charset says which characters SQS allows in a text.
package charset

import "unicode/utf8"

// IndexDisallowed returns the index of the first character of s that SQS does not
// allow (A1.5), or of the first byte that is not UTF-8, and -1 if there is none.
func IndexDisallowed(s string) int {
	for i := 0; i < len(s); {
		if ' ' <= s[i] && s[i] < utf8.RuneSelf { // nearly all
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return i
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0xFFFE, r == 0xFFFF:
			return i
		}
		i += n
	}
	return -1
}
