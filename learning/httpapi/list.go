package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// lists are the buffers of answers that were read row by row, to be used again.
var lists = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// writeList answers {"success":true,"<field>":[…],…} with elements that are encoded
// as they are read, and with the fields of rest, a struct, behind them. Nothing is
// held but the answer, and nothing is written before it is whole: so a client that
// reads slowly, which for a public list may be anybody, keeps no connection to the
// database.
func writeList(w http.ResponseWriter, field string, each func(write func(any) error) error, rest any) error {
	b := lists.Get().(*bytes.Buffer)
	defer lists.Put(b)
	b.Reset()
	if err := encodeList(b, field, each); err != nil {
		return err
	}
	b.WriteByte(',')
	tail, err := json.Marshal(rest)
	if err != nil {
		return fmt.Errorf("encode the end of a list: %w", err)
	}
	b.Write(tail[1:])
	writeJSON(w, http.StatusOK, b.Bytes())
	return nil
}

// encodeList writes {"success":true,"<field>":[…], an element at a time.
func encodeList(b io.Writer, field string, each func(write func(any) error) error) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	between := ""
	_, _ = io.WriteString(b, `{"success":true,"`+field+`":[`) // where it fails, the last one does as well
	err := each(func(element any) error {
		_, _ = io.WriteString(b, between)
		between = ","
		return e.Encode(element)
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(b, "]")
	return err
}
