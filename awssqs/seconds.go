package awssqs

import (
	"context"
	"math"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
)

// seconds returns a duration in whole seconds, rounded away from zero: up, and a
// negative one so that it stays negative, and is refused.
func seconds(d time.Duration) int32 {
	s := d / time.Second
	switch rest := d % time.Second; {
	case rest > 0:
		s++
	case rest < 0:
		s--
	}
	return toInt32(int(s))
}

// optionalSeconds returns an optional duration in whole seconds: 0 for none, which
// the SDK leaves out of the request.
func optionalSeconds(d *time.Duration) int32 {
	switch {
	case d == nil:
		return 0
	case *d == 0:
		return explicitZero
	}
	return seconds(*d)
}

// toInt32 returns n, or if it is out of range the nearest that SQS refuses as well.
func toInt32(n int) int32 {
	return int32(min(max(n, math.MinInt32+1), math.MaxInt32))
}

// explicitZero stands for a zero that is to be in the request. The SDK leaves out a
// number that is zero, and for SQS that means the queue's default.
const explicitZero = math.MinInt32

// writeZeros is the option of a call that writes explicitZero as 0.
func writeZeros(o *sqs.Options) {
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Serialize.Insert(zeros{}, "OperationSerializer", middleware.Before)
	})
}

// zeros is the middleware of writeZeros.
type zeros struct{}

// ID returns the name of the middleware.
func (zeros) ID() string { return "memsqs:zeros" }

// HandleSerialize puts a zeroInput in the place of the input.
func (zeros) HandleSerialize(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (
	middleware.SerializeOutput, middleware.Metadata, error,
) {
	if input, ok := in.Parameters.(smithy.Serializable); ok {
		in.Parameters = zeroInput{input}
	}
	return next.HandleSerialize(ctx, in)
}

// A zeroInput is an input that writes itself with zeros.
type zeroInput struct{ smithy.Serializable }

// Serialize writes the input.
func (in zeroInput) Serialize(s smithy.ShapeSerializer) { in.Serializable.Serialize(zeroSerializer{s}) }

// A zeroSerializer writes explicitZero as 0.
type zeroSerializer struct{ smithy.ShapeSerializer }

// WriteInt32 writes a number.
func (s zeroSerializer) WriteInt32(member *smithy.Schema, n int32) {
	if n == explicitZero {
		n = 0
	}
	s.ShapeSerializer.WriteInt32(member, n)
}
