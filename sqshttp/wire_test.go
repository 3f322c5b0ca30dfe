package sqshttp_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/sqshttp"
)

type object = map[string]any

func parseJSON(t *testing.T, b []byte) object {
	t.Helper()
	var o object
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	require.NoError(t, d.Decode(&o), "%s", b)
	return o
}

// queryName returns what a member that JSON calls name is called in the Query
// protocol and, if it is a map, what its keys and values are.
func queryName(operation, name string) (string, []string) {
	switch name {
	case "Attributes", "MessageAttributes", "MessageSystemAttributes":
		return strings.TrimSuffix(name, "s"), []string{"Name", "Value"}
	case "Tags", "tags":
		return "Tag", []string{"Key", "Value"}
	case "Entries":
		return operation + "RequestEntry", nil
	case "Successful":
		return operation + "ResultEntry", nil
	case "Failed":
		return "BatchResultErrorEntry", nil
	case "Results":
		return "ListMessageMoveTasksResultEntry", nil
	case "Actions":
		return "ActionName", nil
	case "queueUrls":
		return "QueueUrl", nil
	case "MessageSystemAttributeNames":
		return "AttributeName", nil // A10.5
	case "AttributeNames", "MessageAttributeNames", "AWSAccountIds", "TagKeys", "Messages", "QueueUrls", "StringListValues", "BinaryListValues":
		return strings.TrimSuffix(name, "s"), nil
	}
	return name, nil
}

// addForm adds a JSON value to a form, as a client of the Query protocol sends it.
func addForm(form url.Values, operation, name string, value any) {
	switch value := value.(type) {
	case object:
		for member, v := range value {
			full, names := queryName(operation, member)
			if name != "" {
				full = name + "." + full
			}
			if names == nil {
				addForm(form, operation, full, v)
				continue
			}
			for i, key := range slices.Sorted(maps.Keys(v.(object))) {
				form.Set(fmt.Sprintf("%s.%d.%s", full, i+1, names[0]), key)
				addForm(form, operation, fmt.Sprintf("%s.%d.%s", full, i+1, names[1]), v.(object)[key])
			}
		}
	case []any:
		if len(value) == 0 {
			form.Set(name, "")
		}
		for i, v := range value {
			addForm(form, operation, fmt.Sprintf("%s.%d", name, i+1), v)
		}
	default:
		form.Set(name, fmt.Sprint(value))
	}
}

func jsonLeaves(operation, path string, value any) (leaves []string) {
	switch value := value.(type) {
	case object:
		for member, v := range value {
			name, names := queryName(operation, member)
			if names == nil {
				leaves = append(leaves, jsonLeaves(operation, path+"."+name, v)...)
				continue
			}
			for key, v := range v.(object) {
				leaves = append(leaves, path+"."+name+"."+names[0]+"="+key)
				leaves = append(leaves, jsonLeaves(operation, path+"."+name+"."+names[1], v)...)
			}
		}
		return leaves
	case []any:
		for _, v := range value {
			leaves = append(leaves, jsonLeaves(operation, path, v)...)
		}
		return leaves
	}
	return []string{fmt.Sprintf("%s=%v", path, value)}
}

func xmlLeaves(t *testing.T, document []byte) (leaves []string) {
	t.Helper()
	var path []string
	var text strings.Builder
	leaf := false
	for d := xml.NewDecoder(bytes.NewReader(document)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return leaves
		}
		require.NoError(t, err, "%s", document)
		switch token := token.(type) {
		case xml.StartElement:
			require.Equal(t, "http://queue.amazonaws.com/doc/2012-11-05/", token.Name.Space)
			path = append(path, token.Name.Local)
			text.Reset()
			leaf = true
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			empty := strings.HasSuffix(token.Name.Local, "Result")
			if leaf && !empty {
				leaves = append(leaves, strings.Join(path, ".")+"="+text.String())
			}
			path = path[:len(path)-1]
			leaf = false
		}
	}
}

func newRequest(t testing.TB, method, target, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://sqs.test"+target, strings.NewReader(body))
	require.NoError(t, err)
	return r
}

func do(t testing.TB, s *sqshttp.Server, r *http.Request) (status int, header http.Header, body []byte) {
	t.Helper()
	response, err := s.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, response.Header, body
}
