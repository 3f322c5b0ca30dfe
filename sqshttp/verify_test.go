package sqshttp_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// The signatures here were made with the signer of AWS's SDK for Go.
const (
	headerSignature    = "12ae63d18c4e9cf9229e119958f9f61f30e09444b5126840a8ba13ee1efb879d"
	presignedSignature = "0b965deb9d7281c295171168dbaade85bb1d4fe8f0addc386ebb9deb633a5aa5"
)

// signedAt is when the signatures were made.
var signedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// signedRequest returns a request with a signature in its header.
func signedRequest(t *testing.T) *http.Request {
	t.Helper()
	r := jsonRequest(t, "GetQueueUrl", `{"QueueName":"orders"}`)
	r.URL.Host, r.Host = "localhost:9324", "localhost:9324"
	r.Header.Set("X-Amz-Date", "20260102T030405Z")
	r.Header["X-Odd"] = []string{"  a   b ", "c"}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/eu-west-1/sqs/aws4_request, "+
		"SignedHeaders=content-length;content-type;host;x-amz-date;x-amz-target;x-odd, Signature="+headerSignature)
	return r
}

// presignedRequest returns a request with a signature in its URL.
func presignedRequest(t *testing.T) *http.Request {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, "http://localhost:9324/000000000000/a%2Fb%20c?Action=GetQueueUrl&QueueName=orders&Version=2012-11-05"+
		"&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20260102%2Feu-west-1%2Fsqs%2Faws4_request&X-Amz-Date=20260102T030405Z"+
		"&X-Amz-Expires=60&X-Amz-SignedHeaders=host&a-b=2&a=3&a=1&z=~%20x%2A%2F&X-Amz-Signature="+presignedSignature, nil)
	require.NoError(t, err)
	return r
}

// verifier returns a server that knows the key of the signatures, on a clock at the
// given time.
func verifier(now time.Time) *sqshttp.Server {
	return sqshttp.NewServer(sqshttp.Options{
		Clock:  memsqs.NewManualClock(now),
		Verify: map[string]string{"AKIDEXAMPLE": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"},
	})
}

// A request with a signature of a known key is answered, up to 15 minutes by the
// server's clock from when it was signed; one that is presigned, until it expires.
func TestVerifiedSignatures(t *testing.T) {
	s := verifier(signedAt)
	requireRefused(t, answerTo(t, s, signedRequest(t)), http.StatusBadRequest, "com.amazonaws.sqs#QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue")
	require.Contains(t, answerTo(t, s, presignedRequest(t)).body, "AWS.SimpleQueueService.NonExistentQueue")

	for _, c := range []struct {
		request   func(*testing.T) *http.Request
		at        time.Duration // after it was signed
		complaint string
	}{
		{signedRequest, 15 * time.Minute, ""},
		{signedRequest, 15*time.Minute + time.Second, "Signature expired: 20260102T030405Z is now earlier than 20260102T030406Z (20260102T031906Z - 15 min.)"},
		{signedRequest, -15 * time.Minute, ""},
		{signedRequest, -15*time.Minute - time.Second, "Signature not yet current: 20260102T030405Z is still later than 20260102T030404Z (20260102T024904Z + 15 min.)"},
		{presignedRequest, time.Minute, ""},
		{presignedRequest, time.Minute + time.Second, "Signature expired: 20260102T030506Z is now later than 20260102T030505Z"},
		{presignedRequest, -15 * time.Minute, ""},
		{presignedRequest, -15*time.Minute - time.Second, "Signature not yet current"},
	} {
		a := answerTo(t, verifier(signedAt.Add(c.at)), c.request(t))
		if c.complaint == "" {
			require.NotContains(t, a.body, "Signature")
			continue
		}
		require.Equal(t, http.StatusForbidden, a.status)
		require.Contains(t, a.body, c.complaint)
		require.Contains(t, a.body, "Signature")
	}
}

// Whatever is changed of a signed request, the signature is no longer that of it.
func TestAlteredRequests(t *testing.T) {
	for name, change := range map[string]func(*http.Request){
		"body":           func(r *http.Request) { r.Body = http.NoBody },
		"method":         func(r *http.Request) { r.Method = http.MethodGet },
		"path":           func(r *http.Request) { r.URL.Path = "/a" },
		"query":          func(r *http.Request) { r.URL.RawQuery = "a" },
		"odd query":      func(r *http.Request) { r.URL.RawQuery = "%zz=%" },
		"host":           func(r *http.Request) { r.Host = "localhost" },
		"length":         func(r *http.Request) { r.Header.Set("Content-Length", "1") },
		"header":         func(r *http.Request) { r.Header.Set("X-Odd", "a b") },
		"target":         func(r *http.Request) { r.Header.Set("X-Amz-Target", "AmazonSQS.ListQueues") },
		"date":           func(r *http.Request) { r.Header.Set("X-Amz-Date", "20260102T030406Z") },
		"another header": func(r *http.Request) { r.Header.Set("X-Amz-Security-Token", "") },
		"payload hash":   func(r *http.Request) { r.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD") },
		"region":         authorization("eu-west-1", "eu-west-2"),
		"signed headers": authorization("x-amz-target;x-odd", "x-amz-target"),
		"host unsigned":  authorization("host;", ""),
		"headers twice":  authorization("x-odd", "x-odd;x-odd"),
		"headers upside": authorization("content-length;content-type", "content-type;content-length"),
		"signature":      authorization("12ae", "22ae"),
		"short":          authorization("79d", ""),
	} {
		t.Run(name, func(t *testing.T) {
			r := signedRequest(t)
			change(r)
			a := answerTo(t, verifier(signedAt), r)
			requireRefused(t, a, http.StatusForbidden, "com.amazon.coral.service#InvalidSignatureException", "SignatureDoesNotMatch")
		})
	}
	for _, change := range []func(*http.Request){
		func(r *http.Request) { r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "a=3", "a=4", 1) },
		func(r *http.Request) { r.Header.Set("X-Amz-Target", "AmazonSQS.ListQueues") },
	} {
		r := presignedRequest(t)
		change(r)
		a := answerTo(t, verifier(signedAt), r)
		require.Equal(t, http.StatusForbidden, a.status)
		require.Contains(t, a.body, "Signature")
	}
}

// A header cannot be signed many times over: that would make of a long header and a long
// list far more than the request has.
func TestSignedHeadersAreEachOnce(t *testing.T) {
	r := signedRequest(t)
	r.Header.Set("X-Odd", strings.Repeat("a", 100_000))
	authorization("x-odd", "x-odd"+strings.Repeat(";x-odd", 10_000))(r)
	s := verifier(signedAt)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	message := requireRefused(t, answerTo(t, s, r), http.StatusForbidden, "com.amazon.coral.service#InvalidSignatureException", "SignatureDoesNotMatch")
	runtime.ReadMemStats(&after)
	require.Equal(t, "The names of signed headers must be sorted, each of them once.", message)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(10<<20))
}

// A signature that is for another service, or of another day, is refused for that.
func TestScopeOfASignature(t *testing.T) {
	for _, change := range []func(*http.Request){
		authorization("/sqs/", "/sns/"),
		authorization("aws4_request", "aws3_request"),
		authorization("20260102/", "20260103/"),
	} {
		r := signedRequest(t)
		change(r)
		message := requireRefused(t, answerTo(t, verifier(signedAt), r), http.StatusForbidden, "com.amazon.coral.service#InvalidSignatureException", "SignatureDoesNotMatch")
		require.Equal(t, "Credential should be scoped to 20260102/eu-west-1/sqs/aws4_request.", message)
	}
}

// authorization returns a change of the Authorization header.
func authorization(from, to string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Set("Authorization", strings.Replace(r.Header.Get("Authorization"), from, to, 1))
	}
}

// A request without a signature, with one of an unknown key, or with a malformed one,
// is refused for that (C4).
func TestUnverifiableRequests(t *testing.T) {
	const (
		denied       = "com.amazon.coral.service#AccessDeniedException"
		unrecognized = "com.amazon.coral.service#UnrecognizedClientException"
		incomplete   = "com.amazon.coral.service#IncompleteSignatureException"
	)
	for _, c := range []struct {
		name        string
		change      func(*http.Request)
		status      int
		shape, code string
	}{
		{"no signature", func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusForbidden, denied, "AccessDenied"},
		{"unknown key", authorization("AKIDEXAMPLE", "AKIDOTHER"), http.StatusForbidden, unrecognized, "InvalidClientTokenId"},
		{"another scheme", func(r *http.Request) { r.Header.Set("Authorization", "Basic YTpi") }, http.StatusBadRequest, incomplete, "IncompleteSignature"},
		{"no parameters", func(r *http.Request) { r.Header.Set("Authorization", "AWS4-HMAC-SHA256") }, http.StatusBadRequest, incomplete, "IncompleteSignature"},
		{"no credential", authorization("Credential=", "X="), http.StatusBadRequest, incomplete, "IncompleteSignature"},
		{"no signed headers", authorization("SignedHeaders=", "X="), http.StatusBadRequest, incomplete, "IncompleteSignature"},
		{"an empty signature", authorization(headerSignature, ""), http.StatusBadRequest, incomplete, "IncompleteSignature"},
		{"a short credential", authorization("/aws4_request", ""), http.StatusBadRequest, incomplete, "IncompleteSignature"},
		{"no date", func(r *http.Request) { r.Header.Del("X-Amz-Date") }, http.StatusBadRequest, incomplete, "IncompleteSignature"},
		{"another date", func(r *http.Request) { r.Header.Set("X-Amz-Date", "Fri, 02 Jan 2026 03:04:05 GMT") }, http.StatusBadRequest, incomplete, "IncompleteSignature"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := signedRequest(t)
			c.change(r)
			requireRefused(t, answerTo(t, verifier(signedAt), r), c.status, c.shape, c.code)
		})
	}
}

// A presigned URL that lacks a parameter, or has it wrong, is refused.
func TestMalformedPresignedURLs(t *testing.T) {
	for _, change := range [][2]string{
		{"X-Amz-Algorithm", ""}, {"X-Amz-Date", ""}, {"X-Amz-Expires", ""}, {"X-Amz-SignedHeaders", ""}, {"X-Amz-Signature", ""},
		{"X-Amz-Credential", "a/b"}, {"X-Amz-Algorithm", "AWS4-ECDSA-P256-SHA256"},
		{"X-Amz-Expires", "0"}, {"X-Amz-Expires", "-1"}, {"X-Amz-Expires", "604801"}, {"X-Amz-Expires", "x"},
	} {
		r := presignedRequest(t)
		q := r.URL.Query()
		q.Set(change[0], change[1])
		r.URL.RawQuery = q.Encode()
		a := answerTo(t, verifier(signedAt), r)
		require.Equal(t, http.StatusBadRequest, a.status, change)
		require.Contains(t, a.body, "<Code>IncompleteSignature</Code>", change)
	}
}

// With an empty set of keys, as opposed to none, nothing passes, and nothing does with a key
// that has no secret.
func TestVerifyWithoutKeys(t *testing.T) {
	s := sqshttp.NewServer(sqshttp.Options{Verify: map[string]string{}})
	require.Equal(t, http.StatusForbidden, callJSON(t, s, "ListQueues", "").status)

	s = sqshttp.NewServer(sqshttp.Options{Verify: map[string]string{"AKIDEXAMPLE": ""}})
	requireRefused(t, answerTo(t, s, signedRequest(t)), http.StatusForbidden, "com.amazon.coral.service#UnrecognizedClientException", "InvalidClientTokenId")
}
