package api

import (
	"context"
	"reflect"
)

// An Operation is an operation of the API whose name has come over the wire.
type Operation struct {
	Name   string
	output reflect.Type
	input  func() any
	call   func(*Caller, context.Context, any) (any, error)
}

// NewInput returns a pointer to an empty input of the operation, to be filled.
func (o *Operation) NewInput() any { return o.input() }

// HasOutput reports whether the operation answers more than that it was done.
func (o *Operation) HasOutput() bool { return o.output.NumField() > 0 }

// Call calls the operation with an input from NewInput. The result is a pointer to
// an output.
func (o *Operation) Call(ctx context.Context, c *Caller, input any) (any, error) {
	return o.call(c, ctx, input)
}

// FindOperation returns the operation with the given name, or nil.
func FindOperation(name string) *Operation { return operations[name] }

// operations are all operations by name. It is not changed.
var operations = index(
	operation("AddPermission", (*Caller).AddPermission),
	operation("CancelMessageMoveTask", (*Caller).CancelMessageMoveTask),
	operation("ChangeMessageVisibility", (*Caller).ChangeMessageVisibility),
	operation("ChangeMessageVisibilityBatch", (*Caller).ChangeMessageVisibilityBatch),
	operation("CreateQueue", (*Caller).CreateQueue),
	operation("DeleteMessage", (*Caller).DeleteMessage),
	operation("DeleteMessageBatch", (*Caller).DeleteMessageBatch),
	operation("DeleteQueue", (*Caller).DeleteQueue),
	operation("GetQueueAttributes", (*Caller).GetQueueAttributes),
	operation("GetQueueUrl", (*Caller).GetQueueUrl),
	operation("ListDeadLetterSourceQueues", (*Caller).ListDeadLetterSourceQueues),
	operation("ListMessageMoveTasks", (*Caller).ListMessageMoveTasks),
	operation("ListQueueTags", (*Caller).ListQueueTags),
	operation("ListQueues", (*Caller).ListQueues),
	operation("PurgeQueue", (*Caller).PurgeQueue),
	operation("ReceiveMessage", (*Caller).ReceiveMessage),
	operation("RemovePermission", (*Caller).RemovePermission),
	operation("SendMessage", (*Caller).SendMessage),
	operation("SendMessageBatch", (*Caller).SendMessageBatch),
	operation("SetQueueAttributes", (*Caller).SetQueueAttributes),
	operation("StartMessageMoveTask", (*Caller).StartMessageMoveTask),
	operation("TagQueue", (*Caller).TagQueue),
	operation("UntagQueue", (*Caller).UntagQueue),
)

func operation[In, Out any](name string, call func(*Caller, context.Context, *In) (*Out, error)) *Operation {
	return &Operation{
		Name:   name,
		output: reflect.TypeFor[Out](),
		input:  func() any { return new(In) },
		call: func(c *Caller, ctx context.Context, input any) (any, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			out, err := call(c, ctx, input.(*In))
			if err != nil {
				return nil, err
			}
			return out, nil
		},
	}
}

func index(all ...*Operation) map[string]*Operation {
	m := make(map[string]*Operation, len(all))
	for _, o := range all {
		m[o.Name] = o
	}
	return m
}
