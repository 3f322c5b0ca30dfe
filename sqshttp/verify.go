package sqshttp

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memsqs/memsqs/internal/api"
)

// maxSkew is how far the date of a signature is from the server's clock at most (C4.3).
const maxSkew = 15 * time.Minute

// verify refuses a request that is not signed with one of the server's keys (C4).
func (s *Server) verify(r *request) error {
	sig, err := r.signature()
	if err != nil {
		return err
	}
	secret := s.opts.Verify[sig.key]
	if secret == "" {
		return refusal(api.UnrecognizedClient, "The security token included in the request is invalid.")
	}
	if err := sig.checkTime(s.api.Now()); err != nil {
		return err
	}
	sum := sha256.Sum256(r.body)
	payload := hex.EncodeToString(sum[:])
	if stated := r.Header.Get("X-Amz-Content-Sha256"); stated != "" && stated != payload {
		return refusal(api.InvalidSignature, "The value of 'X-Amz-Content-Sha256' is not the SHA-256 of the body.")
	}
	if want := sig.sign(secret, r.canonical(sig, payload)); !hmac.Equal([]byte(want), []byte(sig.hex)) {
		return refusal(api.InvalidSignature, "The request signature we calculated does not match the signature you provided. "+
			"Check your AWS Secret Access Key and signing method. Consult the service documentation for details.")
	}
	return nil
}

// checkTime refuses a signature that is not for now, or whose scope is not that of
// this service on its date.
func (sig *signature) checkTime(now time.Time) error {
	date, err := time.Parse(amzDate, sig.at)
	if err != nil {
		return refusal(api.IncompleteSignature, "The date of the signature must be of the form %s.", amzDate)
	}
	want := credential{sig.key, sig.at[:len("20060102")], sig.region, "sqs", "aws4_request"}
	if sig.credential != want {
		return refusal(api.InvalidSignature, "Credential should be scoped to %s.", want.scope())
	}
	show := func(t time.Time) string { return t.UTC().Format(amzDate) }
	if date.After(now.Add(maxSkew)) {
		return refusal(api.InvalidSignature, "Signature not yet current: %s is still later than %s (%s + 15 min.)",
			sig.at, show(now.Add(maxSkew)), show(now))
	}
	if sig.expires > 0 && now.After(date.Add(sig.expires)) {
		return refusal(api.InvalidSignature, "Signature expired: %s is now later than %s", show(now), show(date.Add(sig.expires)))
	}
	if sig.expires == 0 && date.Before(now.Add(-maxSkew)) {
		return refusal(api.InvalidSignature, "Signature expired: %s is now earlier than %s (%s - 15 min.)",
			sig.at, show(now.Add(-maxSkew)), show(now))
	}
	return nil
}

// sign returns the signature of a canonical request.
func (sig *signature) sign(secret, canonical string) string {
	sum := sha256.Sum256([]byte(canonical))
	key := []byte("AWS4" + secret)
	for _, part := range []string{
		sig.date, sig.region, sig.service, sig.terminator,
		algorithm + "\n" + sig.at + "\n" + sig.scope() + "\n" + hex.EncodeToString(sum[:]),
	} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	return hex.EncodeToString(key)
}

// canonical returns the request in the form that is signed.
func (r *request) canonical(sig *signature, payload string) string {
	var b strings.Builder
	b.WriteString(cmp.Or(r.Method, http.MethodGet) + "\n")
	// The path is escaped once more than it was sent.
	b.WriteString(cmp.Or(strings.ReplaceAll(uriEscape(r.URL.EscapedPath()), "%2F", "/"), "/") + "\n")
	b.WriteString(canonicalQuery(r.URL.RawQuery) + "\n")
	for name := range strings.SplitSeq(sig.headers, ";") {
		b.WriteString(name + ":" + r.signedHeader(name) + "\n")
	}
	b.WriteString("\n" + sig.headers + "\n" + payload)
	return b.String()
}

// signedHeader returns the value of a header in the form that is signed.
func (r *request) signedHeader(name string) string {
	values := r.Header.Values(name)
	switch {
	case name == "host":
		return cmp.Or(r.Host, r.URL.Host)
	case name == "content-length" && values == nil:
		return strconv.FormatInt(r.ContentLength, 10)
	}
	trimmed := make([]string, len(values))
	for i, v := range values {
		trimmed[i] = strings.Join(strings.Fields(v), " ")
	}
	return strings.Join(trimmed, ",")
}

// canonicalQuery returns a query in the form that is signed.
func canonicalQuery(raw string) string {
	var pairs [][2]string
	for part := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(part, "=")
		if name != "" && name != "X-Amz-Signature" {
			pairs = append(pairs, [2]string{reescape(name), reescape(value)})
		}
	}
	slices.SortFunc(pairs, func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	})
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p[0] + "=" + p[1])
	}
	return b.String()
}

// reescape returns a part of a query as uriEscape escapes it.
func reescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return uriEscape(plain)
	}
	return s
}

// uriEscape escapes all but letters, digits and "-_.~".
func uriEscape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
