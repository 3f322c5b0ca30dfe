package main

import (
	"fmt"
	"net"
	"strings"
)

// announcement says where the service is, and how clients are pointed at it.
func (s *service) announcement(addr net.Addr) string {
	endpoint := endpoint(addr)
	var b strings.Builder
	row := func(name, value string) { fmt.Fprintf(&b, "%-9s %s\n", name, value) }
	row("endpoint", endpoint)
	row("region", s.region)
	row("account", s.account)
	for _, q := range s.queues {
		row("queue", endpoint+"/"+s.account+"/"+q.name)
	}
	unsigned, credentials := "--no-sign-request ", "aws.AnonymousCredentials{}"
	if s.verifyFile != "" {
		unsigned = ""
		credentials = `credentials.NewStaticCredentialsProvider(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), "")`
	}
	row("AWS CLI", fmt.Sprintf("aws --endpoint-url %s --region %s %ssqs list-queues", endpoint, s.region, unsigned))
	row("Go SDK", fmt.Sprintf("client := sqs.New(sqs.Options{BaseEndpoint: aws.String(%q), Region: %q, Credentials: %s})",
		endpoint, s.region, credentials))
	if s.manualClock {
		row("time", fmt.Sprintf("curl -X POST '%s/_memsqs/advance?duration=1h'", endpoint))
	}
	return b.String()
}

// endpoint returns the URL under which a client on this machine reaches a server
// that listens on addr.
func endpoint(addr net.Addr) string {
	host := addr.String()
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = fmt.Sprintf("localhost:%d", tcp.Port)
	}
	return "http://" + host
}
