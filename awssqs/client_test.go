package awssqs_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/awssqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// withKey is an option that signs with an access key.
func withKey(id, secret string) func(*sqs.Options) {
	return func(o *sqs.Options) {
		o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: id, SecretAccessKey: secret}, nil
		})
	}
}

// Options decide how the URLs of queues look, in a Fake as in a client.
func TestQueueURL(t *testing.T) {
	for name, c := range map[string]struct {
		option func(*sqs.Options)
		want   string
	}{
		"none":       {func(*sqs.Options) {}, "https://sqs.eu-north-1.amazonaws.com/123456789012/orders"},
		"region":     {func(o *sqs.Options) { o.Region = "cn-north-1" }, "https://sqs.cn-north-1.amazonaws.com.cn/123456789012/orders"},
		"account":    {withKey("111122223333", "x"), "https://sqs.eu-north-1.amazonaws.com/111122223333/orders"},
		"endpoint":   {func(o *sqs.Options) { o.BaseEndpoint = aws.String("http://localhost:9324") }, "http://localhost:9324/123456789012/orders"},
		"anonymous":  {func(o *sqs.Options) { o.Credentials = aws.AnonymousCredentials{} }, "https://sqs.eu-north-1.amazonaws.com/123456789012/orders"},
		"dual stack": {func(o *sqs.Options) { o.EndpointOptions.UseDualStackEndpoint = aws.DualStackEndpointStateEnabled }, "https://sqs.eu-north-1.api.aws/123456789012/orders"},
		"FIPS, in US": {func(o *sqs.Options) {
			o.Region, o.EndpointOptions.UseFIPSEndpoint = "us-east-1", aws.FIPSEndpointStateEnabled
		}, "https://sqs-fips.us-east-1.amazonaws.com/123456789012/orders"},
	} {
		for _, connect := range connections[:2] {
			t.Run(name+"/"+connect.name, func(t *testing.T) {
				server := sqshttp.NewServer(sqshttp.Options{Region: "eu-north-1", Account: "123456789012"})
				require.Equal(t, c.want, *create(t, connect.open(t, server, c.option), "orders", nil))
			})
		}
	}
}

// Queues of other regions and accounts are other queues, and a call can name its
// region.
func TestRegionsAndAccountsAreApart(t *testing.T) {
	for _, connect := range connections {
		t.Run(connect.name, func(t *testing.T) {
			server := sqshttp.NewServer(sqshttp.Options{})
			c := connect.open(t, server)
			create(t, c, "orders", nil)
			here, err := c.ListQueues(t.Context(), nil)
			require.NoError(t, err)
			require.Len(t, here.QueueUrls, 1)
			elsewhere, err := c.ListQueues(t.Context(), nil, func(o *sqs.Options) { o.Region = "eu-west-1" })
			require.NoError(t, err)
			require.Empty(t, elsewhere.QueueUrls)
			other, err := connect.open(t, server, withKey("111122223333", "x")).ListQueues(t.Context(), nil)
			require.NoError(t, err)
			require.Empty(t, other.QueueUrls)
		})
	}
}

// A server that verifies signatures accepts those of a client with the right key.
func TestClientSigns(t *testing.T) {
	server := sqshttp.NewServer(sqshttp.Options{Verify: map[string]string{"key": "secret"}})
	_, err := awssqs.NewClient(server).ListQueues(t.Context(), nil)
	require.ErrorContains(t, err, "InvalidClientTokenId")
	_, err = awssqs.NewClient(server, withKey("key", "wrong")).ListQueues(t.Context(), nil)
	require.ErrorContains(t, err, "SignatureDoesNotMatch")
	_, err = awssqs.NewClient(server, withKey("key", "secret")).ListQueues(t.Context(), nil)
	require.NoError(t, err)
}

// An unavailable server does not answer the first requests.
type unavailable struct {
	sqs.HTTPClient
	times int
}

func (u *unavailable) Do(r *http.Request) (*http.Response, error) {
	if u.times--; u.times >= 0 {
		return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{}, Body: http.NoBody}, nil
	}
	return u.HTTPClient.Do(r)
}

// A client makes one attempt, unless an option sets a Retryer.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := func(o *sqs.Options) { o.HTTPClient = &unavailable{o.HTTPClient, 2} }
		server := sqshttp.NewServer(sqshttp.Options{})
		began := time.Now()
		_, err := awssqs.NewClient(server, fail).ListQueues(t.Context(), nil)
		require.Error(t, err)
		require.Equal(t, began, time.Now())
		_, err = awssqs.NewClient(server, fail, func(o *sqs.Options) { o.Retryer = retry.NewStandard() }).ListQueues(t.Context(), nil)
		require.NoError(t, err)
	})
}

// Middleware that does not concern the request runs in a Fake too.
func TestFakeRunsMiddleware(t *testing.T) {
	var steps []string
	serialize := middleware.SerializeMiddlewareFunc("serialize", func(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (
		middleware.SerializeOutput, middleware.Metadata, error,
	) {
		steps = append(steps, "serialize")
		return next.HandleSerialize(ctx, in)
	})
	fake := awssqs.NewFake(sqshttp.NewServer(sqshttp.Options{}))
	called := make(map[string]bool)
	_, err := fake.ListQueues(t.Context(), nil, recordCalls(called), sqs.WithAPIOptions(func(stack *middleware.Stack) error {
		return stack.Serialize.Insert(serialize, "OperationSerializer", middleware.Before)
	}))
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"ListQueues": true}, called)
	require.Equal(t, []string{"serialize"}, steps)
}

// A note is an interceptor that writes down that it ran.
type note struct{ steps *[]string }

func (n note) BeforeExecution(context.Context, *smithyhttp.InterceptorContext) error {
	*n.steps = append(*n.steps, "before")
	return nil
}

func (n note) AfterExecution(context.Context, *smithyhttp.InterceptorContext) error {
	*n.steps = append(*n.steps, "after")
	return nil
}

// Interceptors around the whole call run in a Fake too.
func TestFakeRunsInterceptors(t *testing.T) {
	var steps []string
	fake := awssqs.NewFake(sqshttp.NewServer(sqshttp.Options{}), func(o *sqs.Options) {
		o.Interceptors.AddBeforeExecution(note{&steps})
		o.Interceptors.AddAfterExecution(note{&steps})
	})
	_, err := fake.ListQueues(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"before", "after"}, steps)
}

// The options of a caller are not written to.
func TestFakeLeavesOptionsAlone(t *testing.T) {
	options := make([]func(*sqs.Options), 1, 2)
	options[0] = func(*sqs.Options) {}
	awssqs.NewFake(sqshttp.NewServer(sqshttp.Options{}), options...)
	require.Nil(t, options[:2][1])
}

// A paginator takes a Fake.
func TestFakePages(t *testing.T) {
	fake := awssqs.NewFake(sqshttp.NewServer(sqshttp.Options{}))
	for _, name := range []string{"a", "b", "c"} {
		create(t, fake, name, nil)
	}
	var urls []string
	for pages := sqs.NewListQueuesPaginator(fake, &sqs.ListQueuesInput{MaxResults: aws.Int32(2)}); pages.HasMorePages(); {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		urls = append(urls, page.QueueUrls...)
	}
	require.Len(t, urls, 3)
}
