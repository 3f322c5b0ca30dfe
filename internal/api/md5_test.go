package api_test

import (
	"strings"
	"testing"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
	"github.com/stretchr/testify/require"
)

// The MD5 of message attributes, as SQS was seen to compute it (A9.2).
func TestMD5OfMessageAttributes(t *testing.T) {
	c := newCaller()
	addQueue(t, c, memsqs.Config{})
	for want, attrs := range map[string]attributes{
		"235c5c510d26fb653d073faed50ae77c": {"timestamp": text("Number", "1493147359900")},
		"adb59cd4678ea5a855436b949cd07ab6": {"MyAttribute": text("String", "foobar")},
		"4c360f3fdafd970e05fae2f149d997f5": {"Help.Me": text("String", "Me"), "Hello": text("String", "There"), "General": text("String", "Kenobi")},
		"fca026605781cb4126a1e9044df24232": {"Hello": text("String", "There"), "General": text("String", "Kenobi")},
		"a311262e065454b75da111d535b8dacd": {"Hello": text("String", "There")},
		"83fee93c1bcd8b9a5a923ffacdc636c7": {"Help.Me": text("String", "Me"), "Hello": text("String", "There")},
		"ae7155c6026991b6d54b11589678bf9c": {"Foo": text("String", "Bar")},
		"d838729972a4b70e2d2acd9d59ac847c": {"color": text("String", "blue"), "count": text("Number", "3"), "blob": blob("\x01\x02\x03")},
		"da1b33cc3cbfe8b1630921e78e6b9880": {"color": text("String", "blue")},
		"a45daa70926828a2f0a1db3418e6feb4": {"k": text("String", "x")},
		"8cbe4db156db8a94db8b801b7addb984": {"attr1": blob("traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01")},
		"":                                 nil,
	} {
		sent, err := c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(standard), MessageBody: new("body"), MessageAttributes: attrs})
		require.NoError(t, err)
		require.Equal(t, want, sent.MD5OfMessageAttributes)
		received := receiveOne(t, c, standard)
		require.Equal(t, want, received.MD5OfMessageAttributes)
		require.Equal(t, attrs, received.MessageAttributes) // A3.11
	}
}

// System attributes have an MD5 of their own (A9.3), and none when they are
// received (A9.5).
func TestMD5OfMessageSystemAttributes(t *testing.T) {
	c := newCaller()
	addQueue(t, c, memsqs.Config{})
	header := "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
	sent, err := c.SendMessage(t.Context(), &api.SendMessageInput{
		QueueUrl:                new(standard),
		MessageBody:             new("message"),
		MessageAttributes:       attributes{"k": text("String", "x")},
		MessageSystemAttributes: attributes{"AWSTraceHeader": text("String", header)},
	})
	require.NoError(t, err)
	require.Equal(t, "5ae4d5d7636402d80f4eb6d213245a88", sent.MD5OfMessageSystemAttributes)
	require.Equal(t, "a45daa70926828a2f0a1db3418e6feb4", sent.MD5OfMessageAttributes)
	require.Equal(t, "78e731027d8fd50ed642340b7c9a63b3", sent.MD5OfMessageBody)
	m := receiveOne(t, c, standard)
	require.Equal(t, "a45daa70926828a2f0a1db3418e6feb4", m.MD5OfMessageAttributes)
	require.Equal(t, header, m.Attributes["AWSTraceHeader"])
}

// The MD5 of a body does not depend on how long it is (A9.1), and the body comes
// back byte for byte (A1.6).
func TestMD5OfBody(t *testing.T) {
	c := newCaller()
	addQueue(t, c, memsqs.Config{})
	for body, want := range map[string]string{
		"message":                          "78e731027d8fd50ed642340b7c9a63b3",
		"\r\n\t":                           "4b4704299533b16abf3a2ab4a46ea26d",
		"é世界🙂":                             "ab7a5a353f91858f0f2776bb126398ff",
		strings.Repeat("a", 1024):          "c9a34cfc85d982698c6ac89f76071abd",
		strings.Repeat("a", 1<<20):         "7202826a7791073fe2787f0c94603278",
		strings.Repeat("0123456789", 1000): "2bb571599a4180e1d542f76904adc3df",
	} {
		sent, err := c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(standard), MessageBody: &body})
		require.NoError(t, err)
		require.Equal(t, want, sent.MD5OfMessageBody)
		m := receiveOne(t, c, standard)
		require.Equal(t, want, m.MD5OfBody)
		require.Equal(t, body, m.Body)
	}
}
