package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/openlectern/learning/learning"
)

const (
	// listBuffer is how much of a list is held for one client, in bytes. A list that
	// fits is answered in one piece, and may still fail with a proper status.
	listBuffer = 64 << 10
	// listFull is where no other row is read into the buffer, so that a row of usual
	// size does not make it grow; from listNear on it is not worth a query to fill it.
	listFull = listBuffer - 8<<10
	listNear = listFull * 3 / 4
	// listSmall is where the buffer gets its full size, which most lists do not need.
	listSmall = 8 << 10

	// firstRows is how many rows are read at first. From then on as many are read as
	// are likely to fill the buffer, and at most mostRows.
	firstRows = 32
	mostRows  = 1000
)

// errListFull stops the reading of rows when the buffer is full.
var errListFull = errors.New("httpapi: the buffer of a list is full")

// errClientGone means that the client does not read any more.
var errClientGone = errors.New("httpapi: the client went away")

// errNoBody means that the client asked for the header alone, and has it.
var errNoBody = errors.New("httpapi: no body is wanted")

// writeList answers {"success":true,"<field>":[…],…} with the rows of a list, as shape
// returns them, and with the fields of rest behind them: rest returns a struct, or nil
// for no other fields, once all rows are read.
//
// Rows are read into a buffer of a fixed size. When it is full the reading ends, so
// that no connection to the database is held while the client reads, which may take
// long; then the list is continued. A failure after the answer has begun cannot be a
// status any more, so it breaks the connection: the client sees that the list is not
// whole, and the log says why.
func writeList[Row any](w http.ResponseWriter, c *call, field string, list *learning.List[Row], shape func(Row) any, rest func(rows int) any) error {
	out := &listWriter{w: w, call: c, held: list.Held()}
	err := encodeList(out, field, list, shape, rest)
	if err == nil {
		err = out.end()
	}
	switch {
	case err == nil, errors.Is(err, errNoBody):
		return nil
	case !out.begun:
		return err
	}
	n := note(c.Request)
	n.cause, n.broken = err, !errors.Is(err, errClientGone) && c.Context().Err() == nil
	panic(http.ErrAbortHandler)
}

// encodeList writes a list with what surrounds it, and sends all but the last part.
func encodeList[Row any](out *listWriter, field string, list *learning.List[Row], shape func(Row) any, rest func(rows int) any) error {
	out.WriteString(`{"success":true,"` + field + `":[`)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	rows, part := 0, firstRows
	for more := true; more; {
		from, read := out.Len(), 0
		var err error
		more, err = list.Next(out.call.Context(), part, func(row Row) error {
			if rows > 0 {
				out.WriteByte(',')
			}
			rows, read = rows+1, read+1
			if err := e.Encode(shape(row)); err != nil {
				return fmt.Errorf("encode a row of a list: %w", err)
			}
			return out.room()
		})
		size := out.Len() - from
		if errors.Is(err, errListFull) || err == nil && more && out.Len() >= listNear {
			more, err = true, out.flush()
		}
		if err != nil {
			return err
		}
		part = nextPart(read, size, listFull-out.Len())
	}
	out.WriteByte(']')
	return encodeRest(out, rest, rows)
}

// nextPart returns how many rows are likely to fill the free part of the buffer, when
// the last ones took so many bytes.
func nextPart(rows, size, free int) int {
	if rows == 0 {
		return firstRows
	}
	return min(free*rows/size+1, mostRows)
}

// encodeRest writes the fields behind a list.
func encodeRest(out *listWriter, rest func(rows int) any, rows int) error {
	if rest == nil {
		return out.WriteByte('}')
	}
	fields, err := json.Marshal(rest(rows))
	if err != nil {
		return fmt.Errorf("encode the end of a list: %w", err)
	}
	out.WriteByte(',')
	_, err = out.Write(fields[1:])
	return err
}

// listWriter holds a part of an answer until it is sent.
type listWriter struct {
	bytes.Buffer
	w     http.ResponseWriter
	call  *call
	held  int // bytes that the list holds beside the buffer
	begun bool
}

// room makes room for another row; errListFull when there is none.
func (o *listWriter) room() error {
	switch {
	case o.Len() >= listFull:
		return errListFull
	case o.Len() >= listSmall && o.Cap() < listBuffer:
		o.Grow(listBuffer - o.Len())
	}
	return nil
}

// flush sends what is held, and before the first part the header. A HEAD ends there:
// the rest of the list need not be read.
func (o *listWriter) flush() error {
	if !o.begun {
		if err := o.call.hold(max(o.Cap(), listBuffer) + o.held); err != nil {
			return err
		}
		o.begun = true
		o.w.Header()["Content-Type"] = jsonType
	}
	_, err := o.w.Write(o.Bytes())
	o.Reset()
	switch {
	case err != nil:
		return errors.Join(errClientGone, err)
	case o.call.Method == http.MethodHead:
		return errNoBody
	}
	return nil
}

// end sends the last part, which may be all.
func (o *listWriter) end() error {
	if o.begun {
		return o.flush()
	}
	writeJSON(o.w, http.StatusOK, o.Bytes())
	return nil
}
