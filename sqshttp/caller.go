package sqshttp

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/memsqs/memsqs/internal/api"
)

// caller returns who calls with a request.
func (s *Server) caller(r *http.Request) *api.Caller {
	var region, account string
	if cred, ok := parseCredential(credentialOf(r)); ok {
		if isRegion(cred.region) {
			region = cred.region
		}
		if api.IsAccount(cred.key) {
			account = cred.key
		}
	}
	c := s.api.Caller(region, account, endpoint(r))
	c.TraceHeader = r.Header.Get("X-Amzn-Trace-Id")
	if r.URL.Path != "" && r.URL.Path != "/" {
		c.QueueURL = &r.URL.Path
	}
	return c
}

// endpoint returns the scheme and the host by which the client knows the server.
func endpoint(r *http.Request) string {
	scheme := r.URL.Scheme
	switch forwarded := r.Header.Get("X-Forwarded-Proto"); {
	case forwarded == "http" || forwarded == "https":
		scheme = forwarded
	case r.TLS != nil:
		scheme = "https"
	}
	return cmp.Or(scheme, "http") + "://" + cmp.Or(r.Host, r.URL.Host, "localhost")
}

// isRegion reports whether s can be the name of a region: those of a URL's host.
func isRegion(s string) bool {
	return s != "" && len(s) <= 63 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
