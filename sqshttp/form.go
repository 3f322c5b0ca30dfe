package sqshttp

import (
	"bytes"
	"cmp"
	"iter"
	"net/url"
	"strings"

	"github.com/memsqs/memsqs/internal/api"
)

// A form is the parameters of a request in the Query protocol, as they came: those
// of its URL and then those of its body.
type form struct {
	query, body []byte
}

// all returns the parameters in turn, and ends with the first that is malformed.
func (f form) all() iter.Seq2[param, error] {
	return func(yield func(param, error) bool) {
		for _, part := range [][]byte{f.query, f.body} {
			for pair := range bytes.SplitSeq(part, []byte("&")) {
				name, value, _ := bytes.Cut(pair, []byte("="))
				p, err := newParam(name, value)
				if !yield(p, err) || err != nil {
					return
				}
			}
		}
	}
}

// get returns the value of a parameter, or "" if there is none.
func (f form) get(name string) (string, error) {
	for p, err := range f.all() {
		if err != nil || p.name == name {
			return p.value, err
		}
	}
	return "", nil
}

// A param is a parameter.
type param struct {
	name  string // the whole of it
	rest  string // of the name, below the value that is being decoded
	value string
}

// newParam returns the parameter whose name and value are escaped in a form.
func newParam(escapedName, escapedValue []byte) (param, error) {
	name, err := url.QueryUnescape(string(escapedName))
	if err != nil {
		return param{}, refusal(api.Serialization, "%v", err)
	}
	value, err := url.QueryUnescape(string(escapedValue))
	if err != nil {
		return param{}, refusal(api.Serialization, "%v", err)
	}
	return param{name: name, rest: name, value: value}, checkIndices(name)
}

// checkIndices refuses a name with an index of 0 (C2.6), or one that begins with 0.
func checkIndices(name string) error {
	_, rest := cutPart(name)
	for rest != "" {
		var part string
		if part, rest = cutPart(rest); isIndex(part) && part[0] == '0' {
			return refusal(api.Serialization, "%s is not a valid index", part)
		}
	}
	return nil
}

// cutPart cuts a name after its first part.
func cutPart(name string) (part, rest string) {
	part, rest, _ = strings.Cut(name, ".")
	return part, rest
}

// cutIndex cuts a name after its first part if that is an index. The one element of
// a list or map may come without.
func cutIndex(name string) (index, rest string) {
	if part, rest := cutPart(name); isIndex(part) {
		return part, rest
	}
	return "", name
}

// isIndex reports whether a part of a name is a number.
func isIndex(part string) bool {
	return part != "" && strings.Trim(part, "0123456789") == ""
}

// compareParams orders parameters by the parts of their names: indices as numbers,
// and before others. So those whose names begin with the same parts are together.
func compareParams(p, q param) int {
	a, b := p.name, q.name
	for a != "" && b != "" {
		var x, y string
		x, a = cutPart(a)
		y, b = cutPart(b)
		if c := compareParts(x, y); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b)) // one of them is empty
}

func compareParts(x, y string) int {
	switch ix, iy := isIndex(x), isIndex(y); {
	case ix && iy: // they have no leading zeros, and may be larger than an int
		return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y))
	case ix:
		return -1
	case iy:
		return 1
	}
	return strings.Compare(x, y)
}

// split returns the parameters that come first and have the same head, which cut
// takes off their names, and the others.
func split(params []param, cut func(name string) (head, rest string)) (head string, first, others []param) {
	head, _ = cut(params[0].rest)
	for i := range params {
		h, rest := cut(params[i].rest)
		if h != head {
			return head, params[:i], params[i:]
		}
		params[i].rest = rest
	}
	return head, params, nil
}
