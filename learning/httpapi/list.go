package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
)

// nothingHeld is the held of [writeList] for rows that hold no memory before they are read.
const nothingHeld = 0

// firstRows is how many rows of a list that is read in pages the first query reads.
const firstRows = 32

// writeList answers {"success":true,"<path>":[…],…} with the rows of a list, as shape
// returns them, and with the fields of rest after them: rest returns a struct when all
// rows are read, and may be nil. A path like "post.replies" is a list in an object, which
// has the fields of rest too. held is the memory that rows hold until they are read.
//
// Rows are written into a buffer of a fixed size, which is sent when it is full. A failure after
// the answer has begun breaks the connection, so that the client sees that the list is
// incomplete; the log has the cause.
func writeList[Row any](
	w http.ResponseWriter, c *call, path string, rows iter.Seq2[Row, error], held int,
	shape func(Row) any, rest func(rows int) any,
) error {
	out := web.NewPartWriter(w, &c.Call, held)
	return out.Finish(encodeList(c, out, path, rows, shape, rest))
}

// writePages is writeList for a list that is read in pages. A page has as many rows as are likely
// to fill the rest of the buffer, so that few of them are held while the client reads.
func writePages[Row any](
	w http.ResponseWriter, c *call, path string, read readPage[Row], shape func(Row) any,
) error {
	out := web.NewPartWriter(w, &c.Call, nothingHeld)
	return out.Finish(encodeList(c, out, path, pagedRows(out, read), shape, nil))
}

// pagedRows returns the rows of all pages of a list, one page in memory at a time. They are written
// into out.
func pagedRows[Row any](out *web.PartWriter, read readPage[Row]) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		page := core.PageRequest{Limit: firstRows}
		count := 0 // rows of the pages before this one
		for {
			found, err := read(page)
			if err != nil {
				yield(*new(Row), err)
				return
			}
			for _, row := range found.Rows {
				if !yield(row, nil) {
					return
				}
			}
			if found.Next.IsZero() { // this was the last page
				return
			}
			count += len(found.Rows)
			page = core.PageRequest{After: found.Next, Limit: nextPart(count, out)}
		}
	}
}

// nextPart returns how many rows to read next: as many as are likely to fill the buffer, judged by
// the mean size of the rows that were written, but at least firstRows, and at most the largest page
// that the platform reads. rows is the number of rows that were written.
func nextPart(rows int, out *web.PartWriter) int {
	if rows == 0 { // there is no mean yet
		return firstRows
	}
	size := out.Written() / rows
	return min(max(firstRows, out.Free()/max(1, size)), core.MaxPageRows)
}

// encodeList encodes a list and the JSON around it into out. It flushes all parts but the last one,
// which the caller flushes. For its arguments see [writeList].
func encodeList[Row any](
	c *call, out *web.PartWriter, path string, rows iter.Seq2[Row, error],
	shape func(Row) any, rest func(rows int) any,
) error {
	// post.replies begins with {"success":true,"post":{"replies":
	out.WriteString(`{"success":true,"` + strings.ReplaceAll(path, ".", `":{"`) + `":`)
	n, err := encodeRows(c, out, rows, shape)
	if err != nil {
		return err
	}
	return encodeRest(out, rest, n, strings.Count(path, "."))
}

// encodeRows encodes the rows of a list as a JSON array, and returns their number. It flushes
// all but the last part.
func encodeRows[Row any](
	c *call, out *web.PartWriter, rows iter.Seq2[Row, error], shape func(Row) any,
) (n int, err error) {
	out.WriteByte('[')
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	n, err = writeRows(c, out, rows, func(n int, row Row) error {
		if n > 0 {
			out.WriteByte(',')
		}
		return e.Encode(shape(row))
	})
	if err == nil {
		out.WriteByte(']')
	}
	return n, err
}

// writeRows writes each row of a list into out by write, which gets the number of rows before it,
// and returns their number. It flushes all but the last part. The first rows of an answer are read
// at once; for others it waits until few other lists are being read, so that lists do not use all
// connections and processors. It does not hold its turn while the client reads.
func writeRows[Row any](
	c *call, out *web.PartWriter, rows iter.Seq2[Row, error], write func(n int, row Row) error,
) (n int, err error) {
	// begin takes a slot for reading, unless one is held, and end releases it, if one is held.
	var endRead func() // releases the slot; nil if none is held
	begin := func() (err error) {
		if endRead == nil {
			endRead, err = c.BeginRead()
		}
		return err
	}
	end := func() {
		if endRead != nil {
			endRead()
		}
		endRead = nil
	}
	defer end()
	// A slot is held while rows are read, and released while the client reads them. If a part was
	// sent, by another list of the answer, then this list does not have the first rows of it.
	if out.IsSent() {
		if err := begin(); err != nil {
			return 0, err
		}
	}
	for row, err := range rows {
		if err != nil {
			return 0, err
		}
		if err := write(n, row); err != nil {
			return 0, fmt.Errorf("encode a row of a list: %w", err)
		}
		n++
		// A full buffer is sent without a slot; then the reading goes on with one.
		isFull := errors.Is(out.Room(), web.ErrPartFull)
		if isFull {
			end()
			if err := out.Flush(); err != nil {
				return 0, err
			}
		}
		if isFull || n == firstRows { // after the first rows the list waits for its turn
			if err := begin(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// encodeRest writes the fields after a list, and closes the objects that the list is in. rest is
// nil for none, rows the number of rows, and depth how many objects there are around the list
// beside the answer itself.
func encodeRest(out *web.PartWriter, rest func(rows int) any, rows, depth int) error {
	end := []byte("}")
	if rest != nil {
		body, err := web.Success(rest(rows))
		if err != nil {
			return err
		}
		end = bytes.TrimPrefix(body, []byte(`{"success":true`)) // from the comma or the } on
	}
	out.Write(end)
	_, err := out.WriteString(strings.Repeat("}", depth))
	return err
}
