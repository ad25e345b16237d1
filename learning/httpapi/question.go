package httpapi

import (
	"encoding/json"
	"fmt"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/schemas"
	"github.com/openlectern/openlectern/learning/assess"
)

// answerJSON is an answer to a question, or null.
type answerJSON struct{ value assess.Answer }

// Fill implements [schemas.Filler].
func (a *answerJSON) Fill(tree any) error {
	a.value = assess.AnswerOfJSON(tree)
	return nil
}

// MarshalJSON writes the value.
func (a answerJSON) MarshalJSON() ([]byte, error) { return json.Marshal(a.value) }

// JSONSchema describes the values of all kinds of questions.
func (answerJSON) JSONSchema() *jsonschema.Schema {
	text, number := &jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "number"}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text, number, {Type: "boolean"},
		{Type: "array", Items: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text, number}}},
		{Type: "null"}}}
}

// answersJSON are the answers to questions by their ids.
type answersJSON map[string]assess.Answer

// Fill implements [schemas.Filler].
func (a *answersJSON) Fill(tree any) error {
	fields, isObject := tree.(map[string]any)
	if !isObject {
		return fmt.Errorf("answers are of type %T", tree)
	}
	*a = answersJSON{}
	for id, value := range fields {
		(*a)[id] = assess.AnswerOfJSON(value)
	}
	return nil
}

// JSONSchema describes an object with an answer in each field.
func (answersJSON) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: answerJSON{}.JSONSchema()}
}

// newQuestion is a question of a quiz that is saved by hand.
type newQuestion struct {
	_ struct{} `doc:"A question with its solution."`

	ID          string      `json:"questionId,omitempty" jsonschema:"maxLength=100" doc:"Unique within the quiz. Made if it is missing."`
	Kind        string      `json:"kind" jsonschema:"enum=single,enum=multiple,enum=true-false,enum=number,enum=text" doc:"How the question is answered."`
	Question    string      `json:"question" jsonschema:"minLength=1,maxLength=1000" doc:"The question, plain text."`
	Options     []newChoice `json:"options,omitempty" jsonschema:"maxItems=10" doc:"2 to 10, for 'single' and 'multiple' only. A string is the text of an option; a missing id is made."`
	Answer      answerJSON  `json:"answer" doc:"What is right: the id or the index of an option for 'single', a list of them for 'multiple', a boolean for 'true-false', a number for 'number', a list of 1 to 20 texts for 'text'."`
	Tolerance   float64     `json:"tolerance,omitempty" jsonschema:"minimum=0" doc:"How far a right number may be from 'answer'."`
	Points      int         `json:"points,omitempty" jsonschema:"minimum=1,maximum=100" doc:"For the right answer. 1 if missing."`
	Explanation string      `json:"explanation,omitempty" jsonschema:"maxLength=2000" doc:"Why it is right, plain text."`
}

// newChoice is an option of a new question: an object, or its text.
type newChoice struct{ assess.Choice }

// Fill implements [schemas.Filler] for both forms.
func (c *newChoice) Fill(tree any) error {
	if text, isText := tree.(string); isText {
		c.Text = text
		return nil
	}
	var choice choiceJSON
	err := schemas.Fill(&choice, tree)
	c.Choice = assess.Choice(choice)
	return err
}

// JSONSchema describes both forms.
func (newChoice) JSONSchema() *jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string"}
	fields := jsonschema.NewProperties()
	fields.Set("optionId", &jsonschema.Schema{Type: "string",
		Description: "Unique within the question. Made if it is missing."})
	fields.Set("text", &jsonschema.Schema{Type: "string", Description: "Plain text."})
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text,
		{Type: "object", Properties: fields, Required: []string{"text"}}}}
}

// choiceJSON is an option of a question. Its fields are those of [assess.Choice].
type choiceJSON struct {
	ID   string `json:"optionId" doc:"What an answer names."`
	Text string `json:"text" doc:"Plain text."`
}

// questionOf returns the question that a request is.
func questionOf(in newQuestion) assess.Question {
	q := assess.Question{ID: in.ID, Kind: assess.QuestionKind(in.Kind), Text: in.Question,
		Points: in.Points, Solution: &assess.Solution{Answer: in.Answer.value,
			Tolerance: in.Tolerance, Explanation: in.Explanation}}
	for _, option := range in.Options {
		q.Options = append(q.Options, option.Choice)
	}
	return q
}

// askedQuestionJSON is a question as a student gets it.
type askedQuestionJSON struct {
	_ struct{} `doc:"A question without its solution."`

	ID       string       `json:"questionId" doc:"Unique within the quiz."`
	Kind     string       `json:"kind" jsonschema:"enum=single,enum=multiple,enum=true-false,enum=number,enum=text" doc:"How the question is answered."`
	Question string       `json:"question" doc:"The question, plain text."`
	Options  []choiceJSON `json:"options" doc:"Of 'single' and 'multiple', else empty."`
}

// askedOf returns the wire shape of a question without its solution.
func askedOf(q assess.Question) askedQuestionJSON {
	out := askedQuestionJSON{ID: q.ID, Kind: string(q.Kind), Question: q.Text,
		Options: make([]choiceJSON, len(q.Options))}
	for i, option := range q.Options {
		out.Options[i] = choiceJSON(option)
	}
	return out
}
