package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/openapi"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// A cursor is the position of a page in a list, for the URL of the next request: base64url of a
// JSON array of the list, the time in microseconds or the number, and the ids, and of the number of
// a list that is ordered by a number and then by a time. A list is named by the id of its route,
// with its order where there are several. Clients send a cursor back as they got it.

// cursorOf returns the cursor of the next page of the called list, nil if there is none. The
// position has a time or a number, whichever the list is ordered by; that of the trending posts
// has both.
func cursorOf(c *call, next core.Position) *string {
	if next.IsZero() {
		return nil
	}
	first := next.Value // the number, or the time if the position has one
	if !next.At.IsZero() {
		first = next.At.UnixMicro()
	}
	fields := []any{listOf(c), first, next.ID, next.ID2}
	if listOf(c) == trendingPosts { // which is ordered by a number and then by a time
		fields = append(fields, next.Value)
	}
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err) // cannot happen: strings and a number
	}
	return new(base64.RawURLEncoding.EncodeToString(text))
}

// pageOf returns the page that the query asks for, with limit rows if it does not say how
// many. Error: [core.ErrInvalidRequest], also for a cursor of another list.
func pageOf(c *call, limit int) (page core.PageRequest, err error) {
	values := c.URL.Query()
	if page.Limit, err = number(values, "limit", limit, 1, maxPageRows); err != nil {
		return page, err
	}
	if text := values.Get("cursor"); text != "" {
		page.After, err = position(listOf(c), text)
	}
	return page, err
}

// listOf returns the name of the called list: the id of its route, with the order if the query
// chooses one, so that a cursor is refused in another order.
func listOf(c *call) string {
	name := web.InfoOf(c.Request).Route
	hasOrders := name == courseList || name == enrolledList || name == reviewList ||
		name == studentList
	if sort := c.URL.Query().Get("sort"); sort != "" && hasOrders {
		name += " " + sort
	}
	if name == postList && c.URL.Query().Get("tab") == string(community.TrendingPosts) {
		return trendingPosts
	}
	return name
}

// asksForPage reports whether the query has a limit or a cursor.
func asksForPage(c *call) bool {
	values := c.URL.Query()
	return values.Get("limit") != "" || values.Get("cursor") != ""
}

// maxPageRows is the largest page that a client may ask for, in rows.
const maxPageRows = 100

// readPage reads a page of a list.
type readPage[Row any] func(core.PageRequest) (core.Page[Row], error)

// listing is a list that is answered in full, or in pages if the query has a limit or a cursor.
// Without a limit a page has at most maxPageRows rows.
type listing[Row, Shape any] struct {
	field string // the name of the list in the answer
	page  readPage[Row]
	// all returns the whole list, if that has another order than its pages; else it is nil.
	all   func() (core.OrderedRows[Row], error)
	shape func(Row) Shape
	// answer returns the answer with a page.
	answer func([]Shape, nextCursor) any
}

// write answers the rows that the query asks for: a page, all rows of a list that is read in
// pages, or all rows that are read at once.
func (l listing[Row, Shape]) write(w http.ResponseWriter, c *call) error {
	if asksForPage(c) {
		return writePage(w, c, l.page, func(rows []Row, next nextCursor) any {
			return l.answer(shaped(rows, l.shape), next)
		})
	}
	// The whole list. If it has the order of its pages, it is read in pages too.
	if l.all == nil {
		return writePages(w, c, l.field, l.page, shapeInPlace(l.shape))
	}
	list, err := l.all()
	if err != nil {
		return err
	}
	return writeList(w, c, l.field, list.All, list.Held, shapeInPlace(l.shape), nil)
}

// shapeInPlace returns a function for [writeList] that shapes each row into the same memory, so
// that a long list does not allocate memory for each row. Its result is valid until the next call.
func shapeInPlace[Row, Shape any](shape func(Row) Shape) func(Row) any {
	var shaped Shape
	return func(row Row) any {
		shaped = shape(row)
		return &shaped
	}
}

// pageRows returns the rows of the page that the query asks for, and the cursor of the page after
// it. The results count only if the error is nil.
func pageRows[Row any](c *call, read readPage[Row]) ([]Row, nextCursor, error) {
	page, err := pageOf(c, maxPageRows)
	if err != nil {
		return nil, nextCursor{}, err
	}
	found, err := read(page)
	return found.Rows, nextCursor{isPage: true, cursor: cursorOf(c, found.Next)}, err
}

// writePage answers the page that the query asks for.
func writePage[Row any](
	w http.ResponseWriter, c *call, read readPage[Row], answer func([]Row, nextCursor) any,
) error {
	rows, next, err := pageRows(c, read)
	if err != nil {
		return err
	}
	return c.writeSuccess(w, answer(rows, next))
}

// shaped returns the wire shape of rows. It is never nil, which would be null in JSON.
func shaped[Row, Shape any](rows []Row, shape func(Row) Shape) []Shape {
	list := make([]Shape, len(rows))
	for i, row := range rows {
		list[i] = shape(row)
	}
	return list
}

// nextCursor is the cursor of the next page, null if there is none. The answer has no such
// field if it is the whole list.
type nextCursor struct {
	isPage bool
	cursor *string
}

// IsZero reports whether the answer is the whole list; see package json.
func (n nextCursor) IsZero() bool { return !n.isPage }

// MarshalJSON writes the cursor or null.
func (n nextCursor) MarshalJSON() ([]byte, error) { return json.Marshal(n.cursor) }

// JSONSchema describes the text or null of MarshalJSON.
func (nextCursor) JSONSchema() *jsonschema.Schema {
	return openapi.OrNull(&jsonschema.Schema{Type: "string"})
}

// errCursor is the failure of a cursor that stands for no position of its list.
var errCursor = core.InvalidField("cursor", "must be a nextCursor of the same list and order")

// position returns the position that a cursor of a list stands for. It refuses a cursor of another
// list.
func position(list, text string) (p core.Position, err error) {
	body, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return core.Position{}, errCursor
	}
	// The fields of cursorOf. The last one stays 0 in the cursors that lack it.
	var name string
	var first int64
	err = json.Unmarshal(body, &[5]any{&name, &first, &p.ID, &p.ID2, &p.Value})
	if err != nil || name != list {
		return core.Position{}, errCursor
	}
	// first is a time or a number, whichever the list is ordered by: only that one is read. The
	// trending posts have both.
	p.At = time.UnixMicro(first).UTC()
	if list != trendingPosts {
		p.Value = first
	}
	if p.IsZero() { // it has no id, so no row has this position
		return core.Position{}, errCursor
	}
	return p, nil
}
