package sqshttp_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// newServer returns a server with an empty queue q.
func newServer(t *testing.T) (*sqshttp.Server, *memsqs.Queue) {
	t.Helper()
	return newServerWith(t, sqshttp.Options{})
}

const queuePath = "/000000000000/q"

// send sends a request in the Query protocol, with the form in its body, or in its
// URL if there is no body in its method.
func send(t *testing.T, s *sqshttp.Server, method, path, form string) (status int, body string) {
	t.Helper()
	var r *http.Request
	if method == http.MethodPost {
		r = newRequest(t, method, path, form)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	} else {
		r = newRequest(t, method, path+"?"+form, "")
	}
	status, _, b := do(t, s, r)
	return status, string(b)
}

// A queue is called on its path, on / with its URL or its name, by GET and by POST;
// of a path and a QueueUrl the latter counts (C2.1, C2.5, C3.2).
func TestQueryNamesAQueue(t *testing.T) {
	for _, c := range []struct{ path, queueURL string }{
		{queuePath, ""},
		{queuePath + "/", ""},
		{"/", "http://sqs.test" + queuePath},
		{"", "https://elsewhere.example" + queuePath},
		{"/", "q"},
		{"/000000000000/none", "q"},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			s, q := newServer(t)
			form := url.Values{"Action": {"SendMessage"}, "MessageBody": {"hello"}}
			if c.queueURL != "" {
				form.Set("QueueUrl", c.queueURL)
			}
			status, body := send(t, s, method, c.path, form.Encode())
			require.Equal(t, http.StatusOK, status, "%s %s: %s", method, c, body)
			require.Contains(t, body, "<MD5OfMessageBody>5d41402abc4b2a76b9719d911017c592</MD5OfMessageBody>")
			require.Equal(t, 1, q.Stats().Visible)
		}
	}
}

// A POST has its parameters in its URL, in its body, or in both.
func TestQueryTakesURLAndBody(t *testing.T) {
	s, q := newServer(t)
	for _, c := range []struct{ target, body string }{
		{queuePath + "?Action=SendMessage&MessageBody=hello", ""},
		{queuePath + "?Action=SendMessage", "MessageBody=hello"},
		{queuePath, "Action=SendMessage&MessageBody=hello"},
	} {
		r := newRequest(t, http.MethodPost, c.target, c.body) // no content type at all
		status, _, body := do(t, s, r)
		require.Equal(t, http.StatusOK, status, "%s", body)
	}
	require.Equal(t, 3, q.Stats().Visible)
}

// CreateQueue and ListQueues are refused on a queue's path; GetQueueUrl is not, for
// any queue (C2.5).
func TestQueryActionsOnAQueue(t *testing.T) {
	s, _ := newServer(t)
	for _, action := range []string{"CreateQueue", "ListQueues"} {
		status, body := send(t, s, http.MethodGet, queuePath, "Action="+action+"&QueueName=other")
		require.Equal(t, http.StatusBadRequest, status)
		require.Contains(t, body, "<Code>InvalidAction</Code><Message>The action "+action+" is not valid for this endpoint.</Message>")
	}
	status, body := send(t, s, http.MethodPost, "/", "Action=CreateQueue&QueueName=other&Version=2012-11-05")
	require.Equal(t, http.StatusOK, status, body)
	status, body = send(t, s, http.MethodGet, queuePath, "Action=GetQueueUrl&QueueName=other")
	require.Equal(t, http.StatusOK, status, body)
	require.Contains(t, body, "<QueueUrl>http://sqs.test/000000000000/other</QueueUrl>")
}

// A request without an Action is not found, in a document of its own, also if JSON is
// asked for; an unknown Action is invalid (C2.7).
func TestQueryUnknownActions(t *testing.T) {
	s, _ := newServer(t)
	for _, accept := range []string{"", "application/json"} {
		for _, path := range []string{"/", queuePath, queuePath + "?Action=", queuePath + "?Version=2012-11-05"} {
			r := newRequest(t, http.MethodGet, path, "")
			r.Header.Set("Accept", accept)
			status, header, body := do(t, s, r)
			require.Equal(t, http.StatusNotFound, status)
			require.Equal(t, "<UnknownOperationException/>\n", string(body))
			require.NotEmpty(t, header.Get("X-Amzn-Requestid"))
		}
	}
	for _, action := range []string{"FooBar", "sendmessage", "SendMessage%20"} {
		status, body := send(t, s, http.MethodGet, queuePath, "Action="+action)
		require.Equal(t, http.StatusBadRequest, status)
		require.Contains(t, body, "<Code>InvalidAction</Code>")
	}
}

// A body that is no form is not read as one, so the request has no Action.
func TestQueryBodyOfAnotherType(t *testing.T) {
	s, q := newServer(t)
	r := newRequest(t, http.MethodPost, queuePath, "Action=SendMessage&MessageBody=b")
	r.Header.Set("Content-Type", "text/plain")
	status, _, _ := do(t, s, r)
	require.Equal(t, http.StatusNotFound, status)
	require.Zero(t, q.Stats().Sent)
}

// Methods other than GET and POST do nothing.
func TestQueryOtherMethods(t *testing.T) {
	s, q := newServer(t)
	for _, method := range []string{http.MethodHead, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions} {
		status, body := send(t, s, method, queuePath, "Action=SendMessage&MessageBody=b")
		require.Equal(t, http.StatusMethodNotAllowed, status, body)
	}
	require.Zero(t, q.Stats().Sent)
}

// Who accepts JSON gets the reply of the Query protocol in it (C2.4), and others XML.
func TestQueryRendersJSON(t *testing.T) {
	s, q := newServer(t)
	_, err := q.Send(t.Context(), memsqs.SendInput{Body: "hello"})
	require.NoError(t, err)
	for accept, wantJSON := range map[string]bool{
		"application/json": true, "text/html, Application/JSON;q=0.9": true,
		"": false, "*/*": false, "text/xml": false, "application/jsonp": false,
		"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2": false,
	} {
		r := newRequest(t, http.MethodGet, queuePath+"?Action=ReceiveMessage&VisibilityTimeout=0", "")
		r.Header.Set("Accept", accept)
		status, header, body := do(t, s, r)
		require.Equal(t, http.StatusOK, status)
		if !wantJSON {
			require.Equal(t, "text/xml", header.Get("Content-Type"), accept)
			require.Contains(t, string(body), "<Body>hello</Body>")
			continue
		}
		require.Equal(t, "application/json", header.Get("Content-Type"), accept)
		require.Contains(t, string(body), `{"ReceiveMessageResponse":{"ReceiveMessageResult":{"messages":[{"Attributes":null,"Body":"hello",`)
	}
	r := newRequest(t, http.MethodGet, queuePath+"?Action=DeleteMessage&ReceiptHandle=bad", "")
	r.Header.Set("Accept", "application/json")
	status, _, body := do(t, s, r)
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, string(body), `{"Error":{"Code":"ReceiptHandleIsInvalid","Message":"The input receipt handle \"bad\" is not a valid receipt handle.","Type":"Sender"},"RequestId":"`)
}

// Every header of a reply says what is in it.
func TestQueryReplyHeaders(t *testing.T) {
	s, _ := newServer(t)
	_, header, body := do(t, s, newRequest(t, http.MethodGet, queuePath+"?Action=PurgeQueue", ""))
	require.Equal(t, "text/xml", header.Get("Content-Type"))
	require.Equal(t, `<?xml version="1.0"?><PurgeQueueResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/"><ResponseMetadata><RequestId>`+
		header.Get("X-Amzn-Requestid")+`</RequestId></ResponseMetadata></PurgeQueueResponse>`, string(body))
}

// Authentication errors have their codes and statuses in XML too (C4).
func TestQueryAuthenticationErrors(t *testing.T) {
	s := sqshttp.NewServer(sqshttp.Options{Verify: map[string]string{"key": "secret"}})
	const signed = "AWS4-HMAC-SHA256 Credential=%s, SignedHeaders=host;x-amz-date, Signature=00"
	now := time.Now().UTC()
	scope := "/" + now.Format("20060102") + "/us-east-1/sqs/aws4_request"
	for _, c := range []struct {
		authorization string
		status        int
		code          string
	}{
		{"", http.StatusForbidden, "AccessDenied"},
		{fmt.Sprintf(signed, "other"+scope), http.StatusForbidden, "InvalidClientTokenId"},
		{fmt.Sprintf(signed, "key"+scope), http.StatusForbidden, "SignatureDoesNotMatch"},
		{"AWS4-HMAC-SHA256 Credential=key", http.StatusBadRequest, "IncompleteSignature"},
	} {
		r := newRequest(t, http.MethodGet, "/?Action=ListQueues", "")
		r.Header.Set("X-Amz-Date", now.Format("20060102T150405Z"))
		if c.authorization != "" {
			r.Header.Set("Authorization", c.authorization)
		}
		status, _, body := do(t, s, r)
		require.Equal(t, c.status, status, "%s", body)
		require.Contains(t, string(body), "<Error><Type>Sender</Type><Code>"+c.code+"</Code>")
	}
}

// An entry that lacks something is named by its place, whatever its index (A15.8).
func TestQueryNamesTheEntry(t *testing.T) {
	s, q := newServer(t)
	status, body := send(t, s, http.MethodPost, queuePath, "Action=SendMessageBatch&SendMessageBatchRequestEntry.3.Id=a"+
		"&SendMessageBatchRequestEntry.3.MessageBody=b&SendMessageBatchRequestEntry.7.MessageBody=c")
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, body, "<Code>MissingParameter</Code><Message>The request must contain the parameter SendMessageBatchRequestEntry.2.Id.</Message>")
	require.Zero(t, q.Stats().Sent)
}

// FuzzQuery sends any request. The answer is a document, never a fault of the server,
// and a refused request has changed nothing.
func FuzzQuery(f *testing.F) {
	for _, seed := range []struct{ method, path, query, body, accept string }{
		{"GET", queuePath, "Action=SendMessage&MessageBody=b&DelaySeconds=1", "", ""},
		{"POST", "/", "", "Action=SendMessage&QueueUrl=q&MessageBody=%00%FF", "application/json"},
		{"POST", "/", "Action=SendMessageBatch", "QueueUrl=q&SendMessageBatchRequestEntry.1.Id=a&SendMessageBatchRequestEntry.1.MessageBody=b" +
			"&SendMessageBatchRequestEntry.1.MessageAttribute.1.Name=n&SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.DataType=Binary" +
			"&SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.BinaryValue=AA==", ""},
		{"GET", queuePath, "Action=ReceiveMessage&MaxNumberOfMessages=10&AttributeName.1=All&MessageAttributeName.1=.*&WaitTimeSeconds=20", "", ""},
		{"GET", queuePath, "Action=ReceiveMessage&AttributeName.0=All", "", ""},
		{"POST", "/", "", "Action=CreateQueue&QueueName=o&Attribute.1.Name=RedrivePolicy&Attribute.1.Value=%7B%7D&Tag.1.Key=k&Tag.1.Value=v", ""},
		{"POST", "/", "", "Action=SetQueueAttributes&QueueUrl=q&Attribute.Name=VisibilityTimeout&Attribute.Value=35", ""},
		{"POST", "/", "", "Action=DeleteMessageBatch&QueueUrl=q&DeleteMessageBatchRequestEntry.9.Id=a&DeleteMessageBatchRequestEntry.9.ReceiptHandle=h", ""},
		{"GET", "/", "Action=ListQueues&MaxResults=1&NextToken=x", "", "application/json"},
		{"GET", "/", "Action=TagQueue&QueueUrl=q&Tag.1.Key=%01&Tag.1.Value=%3C", "", ""},
		{"GET", "/", "Action=AddPermission&QueueUrl=q&Label=l&AWSAccountId.1=000000000000&ActionName.1=*", "", ""},
		{"GET", "/", "Action=StartMessageMoveTask&SourceArn=arn:aws:sqs:us-east-1:000000000000:q", "", ""},
		{"GET", queuePath, "Action=PurgeQueue", "", ""},
		{"GET", queuePath, "Action=DeleteQueue", "", ""},
		{"PUT", "//", "%zz&=&..=", "a.b.0.c=%", "*/*"},
	} {
		f.Add(seed.method, seed.path, seed.query, seed.body, seed.accept)
	}
	f.Fuzz(func(t *testing.T, method, path, query, body, accept string) {
		r, err := http.NewRequest(method, "http://sqs.test/", strings.NewReader(body))
		if err != nil {
			t.Skip("no method")
		}
		r.URL.Path, r.URL.RawQuery = path, query
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Accept", accept)
		synctest.Test(t, func(t *testing.T) { fuzzQuery(t, r) })
	})
}

func fuzzQuery(t *testing.T, r *http.Request) {
	s, q := newServer(t)
	for _, body := range []string{"waiting", "in flight", "left"} {
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: body})
		require.NoError(t, err)
	}
	_, err := q.Receive(t.Context(), memsqs.ReceiveInput{VisibilityTimeout: new(time.Hour)})
	require.NoError(t, err)

	before := stateOf(t, s, q)
	status, header, body := do(t, s, r.WithContext(t.Context()))
	require.Less(t, status, http.StatusInternalServerError, "%s", body)
	if header.Get("Content-Type") == "application/json" {
		require.True(t, json.Valid(body), "%s", body)
	} else {
		require.NoError(t, xml.Unmarshal(body, new(struct{})), "%s", body)
	}
	if status != http.StatusOK {
		require.Equal(t, before, stateOf(t, s, q))
	}
}

// stateOf returns all that a request can change.
func stateOf(t *testing.T, s *sqshttp.Server, q *memsqs.Queue) []any {
	t.Helper()
	state := []any{q.Stats(), q.Peek(100), q.Config()}
	for _, form := range []string{"Action=ListQueues", "Action=GetQueueAttributes&QueueUrl=q&AttributeName.1=All", "Action=ListQueueTags&QueueUrl=q"} {
		r := newRequest(t, http.MethodGet, "/?"+form, "")
		_, _, body := do(t, s, r)
		document, _, _ := strings.Cut(string(body), "<RequestId>")
		state = append(state, document)
	}
	return state
}
