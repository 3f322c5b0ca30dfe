package sqshttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// A queue of Go code is served to clients in any language.
func Example() {
	server := sqshttp.NewServer(sqshttp.Options{})
	orders, err := memsqs.NewQueue(memsqs.Config{Name: "orders"})
	if err != nil {
		panic(err)
	}
	if err := server.Add(orders); err != nil {
		panic(err)
	}
	endpoint := httptest.NewServer(server)
	defer endpoint.Close()

	// The client, which would have an SDK for this.
	resp, err := http.PostForm(endpoint.URL, url.Values{"Action": {"SendMessage"}, "QueueUrl": {"orders"}, "MessageBody": {"hello"}})
	if err != nil {
		panic(err)
	}
	resp.Body.Close()

	msgs, err := orders.Receive(context.Background(), memsqs.ReceiveInput{})
	if err != nil {
		panic(err)
	}
	fmt.Println(resp.Status, msgs[0].Body)
	// Output: 200 OK hello
}

// Do answers without a socket. It is the HTTPClient of an SDK's options.
func ExampleServer_Do() {
	server := sqshttp.NewServer(sqshttp.Options{})
	call := func(operation, input string) string {
		r, err := http.NewRequest(http.MethodPost, "https://sqs.us-east-1.amazonaws.com/", strings.NewReader(input))
		if err != nil {
			panic(err)
		}
		r.Header.Set("Content-Type", "application/x-amz-json-1.0")
		r.Header.Set("X-Amz-Target", "AmazonSQS."+operation)
		resp, err := server.Do(r)
		if err != nil {
			panic(err)
		}
		output, err := io.ReadAll(resp.Body)
		if err != nil {
			panic(err)
		}
		return string(output)
	}
	fmt.Println(call("CreateQueue", `{"QueueName": "orders", "Attributes": {"DelaySeconds": "60"}}`))
	call("SendMessage", `{"QueueUrl": "orders", "MessageBody": "hello"}`)
	fmt.Println(server.Queue("orders").Stats().Delayed)
	// Output:
	// {"QueueUrl":"https://sqs.us-east-1.amazonaws.com/000000000000/orders"}
	// 1
}
