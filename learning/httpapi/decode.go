package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/safejson"
	"github.com/openlectern/openlectern/internal/schemas"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// maxJSON is the largest JSON body of most routes, in bytes (docs/api.md §2).
const maxJSON = 100 << 10

// maxValues is how many lists and objects a JSON body may have, of which two elements or members
// count as one. A course of 1,000 lectures with ten fields has 7,000.
const maxValues = 40_000

// readJSON reads the body of an action that takes one, and checks its size and syntax, but not the
// schema s. If s is nil the action takes none: nothing is read, and tree is nil. An empty body
// counts as an empty object, so that a body without required fields may be left out.
func (c *call) readJSON(w http.ResponseWriter, action Action, s *schema) (tree any, err error) {
	if s == nil {
		return nil, nil
	}
	if !web.IsMedia(c.Header.Get("Content-Type"), "application/json") { // a missing one is accepted
		return nil, errNotJSON
	}
	body, err := c.ReadAll(w, cmp.Or(action.limit, maxJSON))
	if err != nil {
		return nil, bodyError(err)
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	return treeOf(c.Context(), body)
}

// treeOf decodes a JSON body or a part of one. Its errors are those of checkJSON.
func treeOf(ctx context.Context, text []byte) (tree any, err error) {
	if err := checkJSON(ctx, text); err != nil {
		return nil, err
	}
	// UseNumber is not set, because the validator cannot handle numbers like 1e10000000.
	if json.Unmarshal(text, &tree) != nil {
		return nil, errMalformedJSON
	}
	return tree, nil
}

// checkJSON checks the syntax of JSON, and counts its values before they are built, because each
// takes many times the memory of its text. It returns errMalformedJSON for what is not JSON,
// [core.ErrInvalidRequest] for what has too many values, and the error of the context.
func checkJSON(ctx context.Context, text []byte) error {
	b := budget.New(ctx, int64(len(text)))
	err := b.Text(int64(len(text)))
	if err == nil {
		// A schema reports each value that is wrong, which takes more than the value.
		err = b.Elements(budget.Elements(len(text)) - maxValues)
	}
	if err == nil {
		err = safejson.Check(b, text, safejson.Limits{AllowDuplicates: true})
	}
	switch ctxErr := ctx.Err(); {
	case ctxErr != nil:
		return fmt.Errorf("read a body: %w", ctxErr)
	case errors.Is(err, budget.ErrSpent):
		return core.InvalidField("", fmt.Sprintf("must have at most %d lists and objects, "+
			"of which two elements count as one", maxValues))
	case err != nil:
		return errMalformedJSON
	}
	return nil
}

// readSigned reads the body of a webhook. Without the header of the signature it reads
// nothing, because no body can make such a request valid.
func (c *call) readSigned(w http.ResponseWriter, signature string) ([]byte, error) {
	if c.Header.Get(signature) == "" {
		return nil, nil
	}
	body, err := c.ReadAll(w, maxWebhook)
	return body, bodyError(err)
}

// isMalformed reports whether a body was refused for its content, or for what it is declared to be:
// not because it is too large, or cannot be read.
func isMalformed(err error) bool {
	return errors.Is(err, core.ErrInvalidRequest) || errors.Is(err, errMalformedJSON) ||
		errors.Is(err, errNotJSON)
}

// bodyError returns the failure to answer when reading a body returned err, and nil if err is nil.
func bodyError(err error) error {
	if err == nil {
		return nil
	}
	if failure := web.BodyFailure(err); failure != nil {
		return failure
	}
	if errors.Is(err, file.ErrStorageFull) { // which is found while the body is read
		return file.ErrStorageFull
	}
	return errBodyEnded
}

// fillRequest sets a request from the body, which has passed its schema.
func (c *call) fillRequest(in any) error {
	if c.body == nil { // the action takes no body, or judges one that is not valid
		return nil
	}
	return fill(in, c.body)
}

// fill sets a request from JSON that has passed its schema.
func fill(in, tree any) error {
	err := schemas.Fill(in, tree)
	if place, ok := errors.AsType[*schemas.Place](err); ok {
		return &invalidBody{func() []schemas.Place { return []schemas.Place{*place} }}
	}
	return err // nil: Fill returns no other error
}
