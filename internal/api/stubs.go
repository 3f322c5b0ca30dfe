package api

import "context"

func (c *Caller) AddPermission(ctx context.Context, in *AddPermissionInput) (*AddPermissionOutput, error) {
	return nil, UnsupportedOperation.errorf("AddPermission")
}

func (c *Caller) CancelMessageMoveTask(ctx context.Context, in *CancelMessageMoveTaskInput) (*CancelMessageMoveTaskOutput, error) {
	return nil, UnsupportedOperation.errorf("CancelMessageMoveTask")
}

func (c *Caller) DeleteQueue(ctx context.Context, in *DeleteQueueInput) (*DeleteQueueOutput, error) {
	return nil, UnsupportedOperation.errorf("DeleteQueue")
}

func (c *Caller) GetQueueAttributes(ctx context.Context, in *GetQueueAttributesInput) (*GetQueueAttributesOutput, error) {
	return nil, UnsupportedOperation.errorf("GetQueueAttributes")
}

func (c *Caller) GetQueueUrl(ctx context.Context, in *GetQueueUrlInput) (*GetQueueUrlOutput, error) {
	return nil, UnsupportedOperation.errorf("GetQueueUrl")
}

func (c *Caller) ListDeadLetterSourceQueues(ctx context.Context, in *ListDeadLetterSourceQueuesInput) (*ListDeadLetterSourceQueuesOutput, error) {
	return nil, UnsupportedOperation.errorf("ListDeadLetterSourceQueues")
}

func (c *Caller) ListMessageMoveTasks(ctx context.Context, in *ListMessageMoveTasksInput) (*ListMessageMoveTasksOutput, error) {
	return nil, UnsupportedOperation.errorf("ListMessageMoveTasks")
}

func (c *Caller) ListQueueTags(ctx context.Context, in *ListQueueTagsInput) (*ListQueueTagsOutput, error) {
	return nil, UnsupportedOperation.errorf("ListQueueTags")
}

func (c *Caller) ListQueues(ctx context.Context, in *ListQueuesInput) (*ListQueuesOutput, error) {
	return nil, UnsupportedOperation.errorf("ListQueues")
}

func (c *Caller) RemovePermission(ctx context.Context, in *RemovePermissionInput) (*RemovePermissionOutput, error) {
	return nil, UnsupportedOperation.errorf("RemovePermission")
}

func (c *Caller) SetQueueAttributes(ctx context.Context, in *SetQueueAttributesInput) (*SetQueueAttributesOutput, error) {
	return nil, UnsupportedOperation.errorf("SetQueueAttributes")
}

func (c *Caller) StartMessageMoveTask(ctx context.Context, in *StartMessageMoveTaskInput) (*StartMessageMoveTaskOutput, error) {
	return nil, UnsupportedOperation.errorf("StartMessageMoveTask")
}

func (c *Caller) TagQueue(ctx context.Context, in *TagQueueInput) (*TagQueueOutput, error) {
	return nil, UnsupportedOperation.errorf("TagQueue")
}

func (c *Caller) UntagQueue(ctx context.Context, in *UntagQueueInput) (*UntagQueueOutput, error) {
	return nil, UnsupportedOperation.errorf("UntagQueue")
}
