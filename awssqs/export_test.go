package awssqs

import (
	"reflect"

	"github.com/aws/smithy-go"
)

// Record and Fill are the conversions that a Fake does.

func Record(dst any, in smithy.Serializable) { record(dst, in) }

func Fill(dst, src any) { fill(reflect.ValueOf(dst).Elem(), reflect.ValueOf(src).Elem()) }
