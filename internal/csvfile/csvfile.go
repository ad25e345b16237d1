// Package csvfile writes CSV files for spreadsheets. All lists that are answered as CSV are written
// with it, so that each of them can be opened in any spreadsheet without harm.
package csvfile

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MediaType is that of a file, which is in UTF-8.
const MediaType = "text/csv"

// byteOrderMark begins a file: some spreadsheets read one without it in the code page of the
// computer.
const byteOrderMark = "\ufeff"

// Cell is a cell of a file. It is made by the functions of this package only, so that no text is
// written as it is.
type Cell struct{ text string }

// Text returns the cell of a text that people have written. An apostrophe stands before each part
// that a spreadsheet could take for a formula, which it would execute with the rights of its
// reader. The parts are those between the characters at which spreadsheets separate cells and
// lines, because a spreadsheet that expects semicolons or tabs splits a text at them, quoted or
// not.
func Text(text string) Cell {
	var b strings.Builder
	// A tab or a line end at the begin of a cell counts too, because some spreadsheets leave it
	// out.
	if beginsWith(text, formulas+"\t\r\n") {
		b.WriteByte('\'')
	}
	for {
		end := strings.IndexAny(text, separators) + 1
		if end == 0 {
			b.WriteString(text)
			return Cell{b.String()}
		}
		b.WriteString(text[:end])
		if text = text[end:]; beginsWith(text, formulas) {
			b.WriteByte('\'')
		}
	}
}

// formulas are the characters with which a formula begins.
const formulas = "=+-@＝＋－＠"

// separators are where a spreadsheet may begin a cell. A comma is none, because the file has cells
// between commas, and its texts with commas are quoted.
const separators = ";\t\r\n"

// ignored are the characters before a formula that a spreadsheet may leave out: spaces, quotation
// marks of a cell, and characters without a width.
const ignored = " \u00a0\u3000\"\u200b\ufeff"

// beginsWith reports whether a text begins with one of some characters, for a spreadsheet.
func beginsWith(text, characters string) bool {
	first, size := utf8.DecodeRuneInString(strings.TrimLeft(text, ignored))
	return size > 0 && strings.ContainsRune(characters, first)
}

// Word returns the cell of a text of the program, such as a name of a kind.
func Word(text string) Cell { return Cell{text} }

// Int returns the cell of a whole number.
func Int(n int) Cell { return Cell{strconv.Itoa(n)} }

// Bool returns the cell of a truth value, true or false.
func Bool(is bool) Cell { return Cell{strconv.FormatBool(is)} }

// Number returns the cell of a number, which is empty for nil.
func Number[N int64 | float64](n *N) Cell {
	if n == nil {
		return Cell{}
	}
	return Cell{strconv.FormatFloat(float64(*n), 'f', -1, 64)}
}

// Writer writes a file. Each row reaches the underlying writer before the call returns.
type Writer struct {
	out   io.Writer
	lines *csv.Writer
}

// NewWriter returns a Writer to out. It writes nothing yet.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out, lines: csv.NewWriter(out)} }

// Headings writes the beginning of the file, with the names of the columns.
func (w *Writer) Headings(names ...string) error {
	if _, err := io.WriteString(w.out, byteOrderMark); err != nil {
		return err
	}
	return w.write(names)
}

// Row writes a row.
func (w *Writer) Row(cells ...Cell) error {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = c.text
	}
	return w.write(texts)
}

func (w *Writer) write(texts []string) error {
	if err := w.lines.Write(texts); err != nil {
		return err
	}
	w.lines.Flush()
	return w.lines.Error()
}
