package learning

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/schemas"
)

// aiForm is the form of an answer in JSON: a Go type, from which its JSON Schema is
// made, and a check of what no schema can say. What it takes is right in all of that.
type aiForm[T any] struct {
	schema AISchema
	closed *schemas.Schema
	check  func(T) []string // what is wrong, in words for the model
}

// newAIForm makes a form. The type must have JSON tags, with the bounds of everything,
// and must not contain itself. It panics where that cannot be: forms are made once, at
// the start.
func newAIForm[T any](name string, check func(T) []string) aiForm[T] {
	s, err := schemas.For(reflect.TypeFor[T](), schemas.Closed)
	if err != nil {
		panic(fmt.Sprintf("learning: form %s: %v", name, err))
	}
	return aiForm[T]{AISchema{Name: name, JSON: s.Text}, s, check}
}

// askJSON asks for an answer of a form. One that is not is shown to the model again with
// what is wrong with it, once. Nothing is returned that does not fulfil the form. Errors
// as of [Platform.askAI].
func askJSON[T any](ctx context.Context, p *Platform, actor Actor, form aiForm[T], r AIRequest) (answer T, err error) {
	r.Schema = &form.schema
	err = p.withAI(ctx, actor, func(ctx context.Context, c *aiCall) error {
		answer, err = askForm(ctx, c, form, r)
		return err
	})
	return answer, err
}

func askForm[T any](ctx context.Context, c *aiCall, form aiForm[T], r AIRequest) (answer T, err error) {
	text, err := c.complete(ctx, r)
	if err != nil {
		return answer, err
	}
	answer, problems := form.read(text)
	if len(problems) == 0 {
		return answer, nil
	}
	if r.Messages, err = repair(r.Messages, text, problems); err != nil {
		return *new(T), err
	}
	if text, err = c.complete(ctx, r); err != nil {
		return *new(T), err
	}
	if answer, problems = form.read(text); len(problems) > 0 {
		// Without the problems themselves, which may quote the answer: this goes to a log.
		return *new(T), fmt.Errorf("ask the AI: %w: %d problems in the second answer", errAIAnswer, len(problems))
	}
	return answer, nil
}

var errAIAnswer = errors.New("the answer does not have the form that was asked for")

// How much of a bad answer, and of what is wrong with it, is shown to the model again.
const (
	maxShownAnswer   = 8000 // code points
	maxShownProblems = 10
	maxShownProblem  = 300 // code points
)

const repairRule = "Your answer cannot be used. What is wrong with it follows as data. Answer the first question once more: with the whole of the JSON value, put right, and nothing around it."

// repair continues a conversation after an answer that cannot be used.
func repair(messages []AIMessage, text string, problems []string) ([]AIMessage, error) {
	problems = problems[:min(len(problems), maxShownProblems)]
	for i := range problems {
		problems[i] = truncate(problems[i], maxShownProblem)
	}
	data, err := aiData(map[string]any{"problems": problems})
	if err != nil {
		return nil, err
	}
	return append(messages[:len(messages):len(messages)],
		AIMessage{AIAssistant, truncate(text, maxShownAnswer)},
		AIMessage{AIUser, repairRule + "\n" + data}), nil
}

// read decodes an answer, or says what is wrong with it. A code fence around the whole
// is the one thing that is forgiven.
func (f aiForm[T]) read(text string) (answer T, problems []string) {
	body := []byte(withoutFence(text))
	tree, err := decodeStrictly(body)
	if err != nil {
		return answer, []string{err.Error()}
	}
	if problems := f.closed.Check(tree); len(problems) > 0 {
		return answer, problems
	}
	// The schema takes 1.0 for an integer, and Go does not.
	if err := json.Unmarshal(body, &answer); err != nil {
		return *new(T), []string{"numbers must be written without a fraction or an exponent"}
	}
	if problems := f.check(answer); len(problems) > 0 {
		return *new(T), problems
	}
	return answer, nil
}

var fence = regexp.MustCompile("(?s)^```[A-Za-z]*[ \t]*\r?\n(.*)\n[ \t]*```$")

func withoutFence(text string) string {
	text = strings.TrimSpace(text)
	if inside := fence.FindStringSubmatch(text); inside != nil {
		return inside[1]
	}
	return text
}

// decodeStrictly decodes one JSON value. Go's decoder takes text that is no UTF-8 for
// something else, and of two fields of one name the last; neither is what was meant.
func decodeStrictly(body []byte) (tree any, err error) {
	if !utf8.Valid(body) {
		return nil, errors.New("the answer is not UTF-8")
	}
	if err := json.Unmarshal(body, &tree); err != nil {
		return nil, fmt.Errorf("the answer is not one JSON value and nothing else: %w", err)
	}
	return tree, eachNameOnce(json.NewDecoder(bytes.NewReader(body)))
}

// eachNameOnce looks for fields of one name in an object. The text is known to be JSON.
func eachNameOnce(dec *json.Decoder) error {
	var open []map[string]bool // the names of each object, and nil of each list, that are open
	name := false              // what comes next is a name
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
			if name && open[len(open)-1][tok.(string)] {
				return fmt.Errorf("the field %q is there twice in one object", tok)
			} else if name {
				open[len(open)-1][tok.(string)] = true
				name = false
				continue
			}
		}
		name = len(open) > 0 && open[len(open)-1] != nil
	}
}
