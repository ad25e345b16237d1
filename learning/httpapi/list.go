package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/openlectern/openlectern/learning"
)

const (
	// listBuffer is the size of the buffer of a list, in bytes. A list that fits is written at
	// once, so that a failure still has a status of its own.
	listBuffer = 64 << 10
	// listFull is the length at which no more rows are read into the buffer, so that a row of
	// usual size does not make it grow. From listNear on the buffer is flushed instead of
	// filled with another query.
	listFull = listBuffer - 8<<10
	listNear = listFull * 3 / 4
	// listSmall is the length at which the buffer grows to its full size, which most lists do
	// not need.
	listSmall = 8 << 10

	// firstRows is how many rows the first query reads. Later queries read as many rows as are
	// likely to fill the buffer, and at most mostRows.
	firstRows = 32
	mostRows  = 1000
)

// errListFull stops the reading of rows when the buffer is full.
var errListFull = errors.New("httpapi: the buffer of a list is full")

// errClientGone means that the client has stopped reading.
var errClientGone = errors.New("httpapi: the client went away")

// errNoBody means that the request is a HEAD and its header has been written.
var errNoBody = errors.New("httpapi: no body is wanted")

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
	out := &listWriter{w: w, call: c, held: list.Held()}
	return out.finish(encodeList(out, path, list, shape, rest))
}

// finish ends an answer of lists. err is the failure of the lists. finish returns it if the
// answer has not begun; else it breaks the connection.
func (o *listWriter) finish(err error) error {
	if err == nil {
		err = o.end()
	}
	switch {
	case err == nil, errors.Is(err, errNoBody):
		return nil
	case !o.begun:
		return err
	}
	n := infoOf(o.call.Request)
	n.cause, n.broken = err, !errors.Is(err, errClientGone) && o.call.Context().Err() == nil
	panic(http.ErrAbortHandler)
}

// listEncoder encodes the rows of a list.
type listEncoder[Row any] struct {
	*json.Encoder
	out   *listWriter
	list  *learning.List[Row]
	shape func(Row) any
	rows  int // so far
}

// encodeList encodes a list and the JSON around it. It flushes all but the last part.
func encodeList[Row any](out *listWriter, path string, list *learning.List[Row], shape func(Row) any, rest func(rows int) any) error {
	out.WriteString(`{"success":true,"` + strings.ReplaceAll(path, ".", `":{"`) + `":`)
	rows, err := encodeRows(out, list, shape)
	if err != nil {
		return err
	}
	return encodeRest(out, rest, rows, strings.Count(path, "."))
}

// encodeRows encodes the rows of a list as a JSON array, and returns their number. It flushes
// all but the last part.
func encodeRows[Row any](out *listWriter, list *learning.List[Row], shape func(Row) any) (rows int, err error) {
	out.WriteByte('[')
	e := &listEncoder[Row]{
		Encoder: json.NewEncoder(out),
		out:     out,
		list:    list,
		shape:   shape,
		rows:    0,
	}
	e.SetEscapeHTML(false)
	part := firstRows
	for more := true; more; {
		rows, size := e.rows, out.Len()
		var err error
		if more, err = e.encodePart(part); err != nil && !errors.Is(err, errListFull) {
			return 0, err
		}
		rows, size = e.rows-rows, out.Len()-size
		if more && out.Len() >= listNear {
			if err := out.flush(); err != nil {
				return 0, err
			}
		}
		part = nextPart(rows, size, listFull-out.Len())
	}
	out.WriteByte(']')
	return e.rows, nil
}

// encodePart reads and encodes at most the given number of rows, until the buffer is
// full. The first rows of an answer are read at once; for others it waits until few other
// lists are being read, so that lists do not use all connections and processors.
func (e *listEncoder[Row]) encodePart(rows int) (more bool, err error) {
	if e.rows > 0 || e.out.sent {
		lists := e.out.call.api.memory.forCaller(e.out.call).lists
		release, err := lists.take(e.out.call.Context(), listWait, errTooManyLarge)
		if err != nil {
			return false, err
		}
		defer release()
	}
	return e.list.Next(e.out.call.Context(), rows, e.encodeRow)
}

func (e *listEncoder[Row]) encodeRow(row Row) error {
	if e.rows > 0 {
		e.out.WriteByte(',')
	}
	e.rows++
	if err := e.Encode(e.shape(row)); err != nil {
		return fmt.Errorf("encode a row of a list: %w", err)
	}
	return e.out.room()
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
func encodeRest(out *listWriter, rest func(rows int) any, rows, depth int) error {
	end := []byte("}")
	if rest != nil {
		body, err := success(rest(rows))
		if err != nil {
			return err
		}
		end = bytes.TrimPrefix(body, []byte(`{"success":true`))
	}
	out.Write(end)
	_, err := out.WriteString(strings.Repeat("}", depth))
	return err
}

// listWriter holds a part of an answer until it is sent.
type listWriter struct {
	bytes.Buffer
	w     http.ResponseWriter
	call  *call
	held  int // bytes that the list holds in addition to the buffer
	begun bool
	sent  bool // a part was written
}

// room makes room for another row. It returns errListFull if the buffer is full.
func (o *listWriter) room() error {
	switch {
	case o.Len() >= listFull:
		return errListFull
	case o.Len() >= listSmall && o.Cap() < listBuffer:
		o.Grow(listBuffer - o.Len())
	}
	return nil
}

// flush writes the buffered part, and the header before the first part. It returns errNoBody
// for a HEAD request, so that the rest of the list is not read.
func (o *listWriter) flush() error {
	if !o.begun {
		if err := o.call.hold(max(o.Cap(), listBuffer) + o.held); err != nil {
			return err
		}
		o.begun = true
		o.w.Header()["Content-Type"] = jsonType
	}
	_, err := o.w.Write(o.Bytes())
	o.sent = true
	o.Reset()
	switch {
	case err != nil:
		return errors.Join(errClientGone, err)
	case o.call.Method == http.MethodHead:
		return errNoBody
	}
	return nil
}

// end writes the last part, or the whole answer if nothing was flushed.
func (o *listWriter) end() error {
	if o.begun {
		return o.flush()
	}
	writeJSON(o.w, http.StatusOK, o.Bytes())
	return nil
}
