package sqshttp

// DecodeForm fills an input with the parameters of a URL and of a body.
func DecodeForm(query, body string, input any) error {
	return form{[]byte(query), []byte(body)}.decode(input)
}

// DecodeJSON fills an input with the members of a JSON object.
var DecodeJSON = decodeJSON

// The replies of the Query protocol.
var (
	ResponseXML  = responseXML
	ResponseJSON = responseJSON
	ErrorXML     = errorXML
	ErrorJSON    = errorJSON
)
