package awssqs

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/memsqs/memsqs"
)

// text returns a text to be sent. One that is not valid UTF-8 becomes one that SQS
// refuses for its characters (A1.5): the SDK would mend it, and send what was not
// meant.
func text(s string) *string {
	if !utf8.ValidString(s) {
		s = "\uFFFF"
	}
	return &s
}

// optional returns s, or nil for the empty string, which means that none is given.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// attributes returns message attributes to be sent.
func attributes(attrs map[string]memsqs.Attribute) map[string]types.MessageAttributeValue {
	if len(attrs) == 0 {
		return nil
	}
	values := make(map[string]types.MessageAttributeValue, len(attrs))
	for name, a := range attrs {
		v := types.MessageAttributeValue{DataType: text(a.DataType)}
		if a.StringValue != "" {
			v.StringValue = text(a.StringValue)
		}
		if len(a.BinaryValue) > 0 {
			v.BinaryValue = a.BinaryValue
		}
		values[name] = v
	}
	return values
}

// systemAttributes returns the message system attributes to be sent.
func systemAttributes(traceHeader string) map[string]types.MessageSystemAttributeValue {
	if traceHeader == "" {
		return nil
	}
	return map[string]types.MessageSystemAttributeValue{
		string(types.MessageSystemAttributeNameForSendsAWSTraceHeader): {DataType: aws.String("String"), StringValue: text(traceHeader)},
	}
}

// message returns a message that was received, but for its InvisibleUntil.
func message(m types.Message) memsqs.Message {
	system := func(name types.MessageSystemAttributeName) string { return m.Attributes[string(name)] }
	origin := system(types.MessageSystemAttributeNameDeadLetterQueueSourceArn)
	receives, _ := strconv.Atoi(system(types.MessageSystemAttributeNameApproximateReceiveCount))
	return memsqs.Message{
		ID:               aws.ToString(m.MessageId),
		ReceiptHandle:    aws.ToString(m.ReceiptHandle),
		Body:             aws.ToString(m.Body),
		Attributes:       receivedAttributes(m.MessageAttributes),
		TraceHeader:      system(types.MessageSystemAttributeNameAWSTraceHeader),
		GroupID:          system(types.MessageSystemAttributeNameMessageGroupId),
		DeduplicationID:  system(types.MessageSystemAttributeNameMessageDeduplicationId),
		SequenceNumber:   system(types.MessageSystemAttributeNameSequenceNumber),
		DeadLetterSource: origin[strings.LastIndexByte(origin, ':')+1:],
		SentAt:           milliseconds(system(types.MessageSystemAttributeNameSentTimestamp)),
		FirstReceivedAt:  milliseconds(system(types.MessageSystemAttributeNameApproximateFirstReceiveTimestamp)),
		ReceiveCount:     receives,
	}
}

// receivedAttributes returns the attributes of a message that was received.
func receivedAttributes(values map[string]types.MessageAttributeValue) map[string]memsqs.Attribute {
	if len(values) == 0 {
		return nil
	}
	attrs := make(map[string]memsqs.Attribute, len(values))
	for name, v := range values {
		attrs[name] = memsqs.Attribute{
			DataType:    aws.ToString(v.DataType),
			StringValue: aws.ToString(v.StringValue),
			BinaryValue: v.BinaryValue,
		}
	}
	return attrs
}

// milliseconds returns the time of a timestamp of SQS (A4.2), or the zero time if
// it is none.
func milliseconds(timestamp string) time.Time {
	ms, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
