package tutor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/schemas"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// aiFormat is the format of an answer in JSON: a Go type, from which the JSON Schema is
// made, and a check of the rules that a schema cannot express. An answer that read
// returns satisfies all of them.
type aiFormat[T any] struct {
	schema AISchema
	strict *schemas.Schema
	check  func(T) []string // returns the problems, in words for the model
}

// newAIFormat returns the format of T. T must have JSON tags with the bounds of every
// field, and must not be recursive. newAIFormat panics otherwise; it is called only
// when the package is initialised.
func newAIFormat[T any](name string, check func(T) []string) aiFormat[T] {
	// Closed: an answer with a field that T does not have is invalid.
	s, err := schemas.For(reflect.TypeFor[T](), schemas.Closed)
	if err != nil {
		panic(fmt.Sprintf("tutor: form %s: %v", name, err))
	}
	return aiFormat[T]{schema: AISchema{Name: name, JSON: s.Text}, strict: s, check: check}
}

// askJSON returns an answer in a format. If the answer is invalid, it is sent to the
// model once more, together with its problems. A second invalid answer is an error. The
// other errors are those of askAI.
func askJSON[T any](ctx context.Context, s *Service, actor core.Actor, form aiFormat[T],
	r AIRequest) (answer T, err error) {
	r.Schema = &form.schema
	err = s.withAI(ctx, actor, r, func(ctx context.Context, c *aiCall) error {
		answer, err = askFormat(ctx, c, form, r)
		return err
	})
	return answer, err
}

// askFormat is askJSON in a call that withAI has admitted. r has the schema of form. On an error
// answer is zero.
func askFormat[T any](ctx context.Context, c *aiCall, form aiFormat[T],
	r AIRequest) (answer T, err error) {
	// Ask once.
	text, err := c.complete(ctx, r)
	if err != nil {
		return answer, err
	}
	answer, problems := form.read(text)
	if len(problems) == 0 {
		return answer, nil
	}

	// Ask once more, with the problems. The tokens of this request are reserved too: withAI has
	// reserved only those of the first one. Reserve fails if the call has lost its slot. It does
	// not check the budgets: they are checked once, before the first request.
	if r.Messages, err = repairMessages(r.Messages, text, problems); err != nil {
		return *new(T), err
	}
	if err := c.Reserve(ctx, maxTokensOf(r)); err != nil {
		return *new(T), err
	}
	if text, err = c.complete(ctx, r); err != nil {
		return *new(T), err
	}
	if answer, problems = form.read(text); len(problems) > 0 {
		// The error leaves the problems out, because it is logged and they may quote the answer.
		return *new(T), fmt.Errorf("ask the AI: %w: %d problems in the second answer",
			errInvalidAnswer, len(problems))
	}
	return answer, nil
}

var errInvalidAnswer = errors.New("the answer does not have the requested format")

// Limits of the invalid answer, and of its problems, that are sent to the model again.
const (
	maxShownAnswer   = 8000 // code points
	maxShownProblems = 10
	maxShownProblem  = 300 // code points
)

const repairInstructions = "Your answer cannot be used. What is wrong with it follows as data. " +
	"Answer the first question once more: with the whole of the JSON value, put right, and " +
	"nothing around it."

// repairMessages returns the messages that ask the model to correct an invalid answer: those of the
// first request, the answer, and its problems. Long texts and lists of problems are truncated,
// so that they do not use up the budget. It changes the strings in problems.
func repairMessages(messages []AIMessage, answer string, problems []string) ([]AIMessage, error) {
	problems = problems[:min(len(problems), maxShownProblems)]
	for i := range problems {
		problems[i] = text.Truncate(problems[i], maxShownProblem)
	}
	data, err := aiData(map[string]any{"problems": problems})
	if err != nil {
		return nil, err
	}
	return slices.Concat(messages, []AIMessage{
		{AIAssistant, text.Truncate(answer, maxShownAnswer)},
		{AIUser, repairInstructions + "\n" + data},
	}), nil
}

// read decodes an answer. If it is not valid, read returns its problems, in words for the model,
// and the zero answer. A code fence around the whole answer is removed first.
func (f aiFormat[T]) read(text string) (answer T, problems []string) {
	// The answer is one JSON value, possibly in a code fence.
	body := []byte(stripCodeFence(text))
	tree, err := decodeStrictly(body)
	if err != nil {
		return answer, []string{err.Error()}
	}

	// It has the schema, so Fill can set answer from it, unless a number does not fit its field.
	if problems := f.strict.Check(tree); len(problems) > 0 {
		return answer, problems
	}
	if err := schemas.Fill(&answer, tree); err != nil {
		return *new(T), []string{err.Error()}
	}

	// It follows the rules that no schema can express.
	if problems := f.check(answer); len(problems) > 0 {
		return *new(T), problems
	}
	return answer, nil
}

// fence matches a text that is one code fence of Markdown, with or without a language after the
// first three backquotes. Its group is the text inside.
var fence = regexp.MustCompile("(?s)^```[A-Za-z]*[ \t]*\r?\n(.*)\n[ \t]*```$")

// stripCodeFence returns the text in a code fence, or text if it is not one: see fence.
func stripCodeFence(text string) string {
	text = strings.TrimSpace(text)
	if inside := fence.FindStringSubmatch(text); inside != nil {
		return inside[1]
	}
	return text
}

// decodeStrictly decodes one JSON value. It rejects text that is not UTF-8 and objects
// with two fields of one name, because encoding/json replaces invalid UTF-8 and keeps
// the last of two equal fields.
func decodeStrictly(body []byte) (tree any, err error) {
	if !utf8.Valid(body) {
		return nil, errors.New("the answer is not UTF-8")
	}
	if err := json.Unmarshal(body, &tree); err != nil {
		return nil, fmt.Errorf("the answer is not one JSON value and nothing else: %w", err)
	}
	return tree, checkUniqueNames(json.NewDecoder(bytes.NewReader(body)))
}

// checkUniqueNames returns an error if an object has two fields of one name. The text
// must be valid JSON.
func checkUniqueNames(dec *json.Decoder) error {
	// The objects and lists around the next token, the outermost first: the names that an object
	// has so far, or nil for a list.
	var open []map[string]bool
	isName := false // whether the next token is the name of a field
	for {
		tok, err := dec.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		switch tok {
		case json.Delim('{'):
			open = append(open, map[string]bool{})
		case json.Delim('['):
			open = append(open, nil)
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		default:
			if isName { // so it is a string, and its value follows
				names, name := open[len(open)-1], tok.(string)
				if names[name] {
					return fmt.Errorf("the field %q is there twice in one object", name)
				}
				names[name] = true
				isName = false
				continue
			}
		}
		// A value or a brace has ended. Inside an object a name comes next, or its closing brace.
		isName = len(open) > 0 && open[len(open)-1] != nil
	}
}
