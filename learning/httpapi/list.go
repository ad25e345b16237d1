package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning"
)

const (
	// firstRows is how many rows the first query reads. Later queries read as many rows as are
	// likely to fill the buffer, and at most mostRows.
	firstRows = 32
	mostRows  = 1000
)

// writeList answers {"success":true,"<path>":[…],…} with the rows of a list, as shape
// returns them, and with the fields of rest after them: rest returns a struct when all
// rows are read, and may be nil. A path like "post.replies" is a list in an object, which
// has the fields of rest too.
//
// Rows are read into a buffer of a fixed size. When the buffer is full the query ends, so
// that no connection to the database is held while the client reads; the next query
// continues the list. A failure after the answer has begun breaks the connection, so that
// the client sees that the list is incomplete; the log has the cause.
func writeList[Row any](w http.ResponseWriter, c *call, path string, list *learning.List[Row], shape func(Row) any, rest func(rows int) any) error {
	out := web.NewPartWriter(w, &c.Call, list.Held())
	return out.Finish(encodeList(c, out, path, list, shape, rest))
}

// listEncoder encodes the rows of a list.
type listEncoder[Row any] struct {
	*json.Encoder
	call  *call
	out   *web.PartWriter
	list  *learning.List[Row]
	shape func(Row) any
	rows  int // so far
}

// encodeList encodes a list and the JSON around it. It flushes all but the last part.
func encodeList[Row any](c *call, out *web.PartWriter, path string, list *learning.List[Row], shape func(Row) any, rest func(rows int) any) error {
	out.WriteString(`{"success":true,"` + strings.ReplaceAll(path, ".", `":{"`) + `":`)
	rows, err := encodeRows(c, out, list, shape)
	if err != nil {
		return err
	}
	return encodeRest(out, rest, rows, strings.Count(path, "."))
}

// encodeRows encodes the rows of a list as a JSON array, and returns their number. It flushes
// all but the last part.
func encodeRows[Row any](c *call, out *web.PartWriter, list *learning.List[Row], shape func(Row) any) (rows int, err error) {
	out.WriteByte('[')
	e := &listEncoder[Row]{Encoder: json.NewEncoder(out), call: c, out: out, list: list, shape: shape}
	e.SetEscapeHTML(false)
	part := firstRows
	for more := true; more; {
		rows, size := e.rows, out.Len()
		var err error
		if more, err = e.encodePart(part); err != nil && !errors.Is(err, web.ErrPartFull) {
			return 0, err
		}
		rows, size = e.rows-rows, out.Len()-size
		if more && out.IsNearFull() {
			if err := out.Flush(); err != nil {
				return 0, err
			}
		}
		part = nextPart(rows, size, out.Free())
	}
	out.WriteByte(']')
	return e.rows, nil
}

// encodePart reads and encodes at most the given number of rows, until the buffer is
// full. The first rows of an answer are read at once; for others it waits until few other
// lists are being read, so that lists do not use all connections and processors.
func (e *listEncoder[Row]) encodePart(rows int) (more bool, err error) {
	if e.rows > 0 || e.out.IsSent() {
		end, err := e.call.BeginRead()
		if err != nil {
			return false, err
		}
		defer end()
	}
	return e.list.Next(e.call.Context(), rows, e.encodeRow)
}

func (e *listEncoder[Row]) encodeRow(row Row) error {
	if e.rows > 0 {
		e.out.WriteByte(',')
	}
	e.rows++
	if err := e.Encode(e.shape(row)); err != nil {
		return fmt.Errorf("encode a row of a list: %w", err)
	}
	return e.out.Room()
}

// nextPart returns how many rows are likely to fill the free bytes of the buffer, when
// the last ones took so many bytes.
func nextPart(rows, size, free int) int {
	if rows == 0 {
		return firstRows
	}
	return min(free*rows/size+1, mostRows)
}

// encodeRest writes the fields after a list, and closes the objects that the list is in.
func encodeRest(out *web.PartWriter, rest func(rows int) any, rows, depth int) error {
	end := []byte("}")
	if rest != nil {
		body, err := web.Success(rest(rows))
		if err != nil {
			return err
		}
		end = bytes.TrimPrefix(body, []byte(`{"success":true`))
	}
	out.Write(end)
	_, err := out.WriteString(strings.Repeat("}", depth))
	return err
}
