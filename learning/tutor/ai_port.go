package tutor

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
)

// AI is a language model that answers messages (package ai).
//
// The usage in a reply reports the tokens spent, also if there is an error: the number
// that the provider reported, else [AIRequest.MaxUsage], and none if the provider refused
// the request or was not reached. The text of a reply with an error is empty.
type AI interface {
	// Complete asks for an answer in one piece.
	Complete(ctx context.Context, r AIRequest) (AIReply, error)
	// Stream asks for an answer and calls write with each part as it arrives. It stops at
	// the first error of write and returns it.
	Stream(ctx context.Context, r AIRequest, write func(delta string) error) (AIReply, error)
}

// AIRequest is a request to a model.
type AIRequest struct {
	Messages []AIMessage
	// Schema is the schema of the answer; nil for plain text. The model may ignore it; see
	// [AIReply].
	Schema *AISchema
	// MaxTokens limits the answer; 0 for the limit of the provider.
	MaxTokens int
}

// AIMessage is one message of a conversation.
type AIMessage struct {
	Role    AIRole
	Content string
}

// AIRole is the role of the author of an [AIMessage].
type AIRole string

// The roles of messages. Text that users typed is never [AISystem].
const (
	AISystem    AIRole = "system"
	AIUser      AIRole = "user"
	AIAssistant AIRole = "assistant"
)

// AISchema is a JSON Schema for an answer in JSON.
type AISchema struct {
	Name string // for the provider: letters, digits, - and _
	JSON []byte
}

// AIReply is the answer of a model. Its text is not empty and is valid UTF-8. Nothing
// else about it is guaranteed.
type AIReply struct {
	Text  string
	Usage core.AIUsage // if it is zero, the call is counted as [AIRequest.MaxUsage]
}
