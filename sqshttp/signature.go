package sqshttp

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memsqs/memsqs/internal/api"
)

const (
	algorithm  = "AWS4-HMAC-SHA256"
	amzDate    = "20060102T150405Z"
	maxExpires = 7 * 24 * time.Hour // of a URL after it was signed
)

// A credential is the scope of a signature, and the key that it was made with.
type credential struct{ key, date, region, service, terminator string }

// credentialOf returns the credential in a request, or nothing.
func credentialOf(r *http.Request) string {
	if _, rest, ok := strings.Cut(r.Header.Get("Authorization"), "Credential="); ok {
		cred, _, _ := strings.Cut(rest, ",")
		return strings.TrimSpace(cred)
	}
	if strings.Contains(r.URL.RawQuery, "X-Amz-Credential=") {
		return r.URL.Query().Get("X-Amz-Credential")
	}
	return ""
}

// parseCredential returns the credential that s is, or false.
func parseCredential(s string) (c credential, ok bool) {
	for _, part := range []*string{&c.key, &c.date, &c.region, &c.service} {
		if *part, s, ok = strings.Cut(s, "/"); !ok {
			return c, false
		}
	}
	c.terminator = s
	return c, !strings.Contains(s, "/")
}

// scope returns what a credential says besides its key.
func (c credential) scope() string {
	return c.date + "/" + c.region + "/" + c.service + "/" + c.terminator
}

// A signature is what a request says of its Signature Version 4, in its header or,
// if it is presigned, in its URL.
type signature struct {
	credential
	at      string        // when it was made, as amzDate
	expires time.Duration // after the date; zero if it is not presigned
	headers string        // the names of those that are signed
	hex     string
}

// signature returns the signature of the request.
func (r *request) signature() (sig *signature, err error) {
	query := r.URL.Query()
	switch authorization := r.Header.Get("Authorization"); {
	case authorization != "":
		sig, err = headerSignature(authorization, r.Header.Get("X-Amz-Date"))
	case query.Has("X-Amz-Signature") || query.Has("X-Amz-Credential"):
		sig, err = presignedSignature(query)
	default:
		return nil, refusal(api.AccessDenied, "Access to the resource %s is denied.", r.caller.Endpoint+r.URL.EscapedPath())
	}
	if err != nil {
		return nil, err
	}
	var ok bool
	if sig.credential, ok = parseCredential(credentialOf(r.Request)); !ok {
		return nil, refusal(api.IncompleteSignature, "Credential must have exactly 5 slash-delimited elements, as in keyid/date/region/service/term.")
	}
	if err := r.checkSigned(strings.Split(sig.headers, ";")); err != nil {
		return nil, err
	}
	return sig, nil
}

// checkSigned refuses a signature of headers with the given names if others mean
// something to the server. The names must be as clients sort them: so no header is in
// the canonical request more than once, however long the list.
func (r *request) checkSigned(names []string) error {
	for i := 1; i < len(names); i++ {
		if names[i-1] >= names[i] {
			return refusal(api.InvalidSignature, "The names of signed headers must be sorted, each of them once.")
		}
	}
	if _, ok := slices.BinarySearch(names, "host"); !ok {
		return refusal(api.InvalidSignature, "'Host' must be one of the signed headers.")
	}
	for header := range r.Header {
		name := strings.ToLower(header)
		if _, ok := slices.BinarySearch(names, name); !ok && strings.HasPrefix(name, "x-amz-") {
			return refusal(api.InvalidSignature, "There is a header %.100q, which is not signed.", name)
		}
	}
	return nil
}

// headerSignature returns the signature in an Authorization header, but for its
// credential.
func headerSignature(authorization, date string) (*signature, error) {
	scheme, rest, _ := strings.Cut(authorization, " ")
	if scheme != algorithm {
		return nil, refusal(api.IncompleteSignature, "Authorization header must begin with %q.", algorithm)
	}
	param := make(map[string]string)
	for part := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		param[name] = value
	}
	for _, name := range []string{"Credential", "Signature", "SignedHeaders"} {
		if param[name] == "" {
			return nil, refusal(api.IncompleteSignature, "Authorization header requires '%s' parameter.", name)
		}
	}
	if date == "" {
		return nil, refusal(api.IncompleteSignature, "Authorization header requires existence of a 'X-Amz-Date' header.")
	}
	return &signature{at: date, headers: param["SignedHeaders"], hex: param["Signature"]}, nil
}

// presignedSignature returns the signature in the query of a URL, but for its
// credential.
func presignedSignature(query url.Values) (*signature, error) {
	for _, name := range []string{"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature"} {
		if query.Get(name) == "" {
			return nil, refusal(api.IncompleteSignature, "The URL of a presigned request requires '%s' parameter.", name)
		}
	}
	if query.Get("X-Amz-Algorithm") != algorithm {
		return nil, refusal(api.IncompleteSignature, "'X-Amz-Algorithm' must be %q.", algorithm)
	}
	seconds, err := strconv.ParseUint(query.Get("X-Amz-Expires"), 10, 31)
	expires := time.Duration(seconds) * time.Second
	if err != nil || expires == 0 || expires > maxExpires {
		return nil, refusal(api.IncompleteSignature, "'X-Amz-Expires' must be 1 to %d.", maxExpires/time.Second)
	}
	return &signature{
		at:      query.Get("X-Amz-Date"),
		expires: expires,
		headers: query.Get("X-Amz-SignedHeaders"),
		hex:     query.Get("X-Amz-Signature"),
	}, nil
}
