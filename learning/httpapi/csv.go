package httpapi

import (
	"encoding/csv"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning"
)

// csvContent is the media type of a list for spreadsheets.
const csvContent = "text/csv"

// formatParameter is the parameter of a list that is also answered as CSV.
var formatParameter = parameter{
	name: "format",
	text: "`csv`: the whole list as a file for spreadsheets, in UTF-8 with a line of headings. A " +
		"text that a spreadsheet would take for a formula begins with an apostrophe.",
	schema: texts("csv"),
}

// asksForCSV reports whether the query asks for CSV. It refuses any other format.
func asksForCSV(c *call) (bool, error) {
	switch c.URL.Query().Get("format") {
	case "":
		return false, nil
	case "csv":
		return true, nil
	}
	return false, learning.ErrInvalidRequest
}

// writeCSV answers rows as a file. rows returns them, as they are read while out is written; cells
// returns those of a row. A failure after the answer has begun breaks the connection, so that the
// client sees that the file is not whole.
func writeCSV[Row any](
	w http.ResponseWriter, c *call, name string, headings []string,
	rows func(out *web.PartWriter) iter.Seq2[Row, error], cells func(Row) []string,
) error {
	h := w.Header()
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	out := web.NewPartWriter(w, &c.Call, nothingHeld)
	out.MediaType = csvContent + "; charset=utf-8"
	lines := csv.NewWriter(out)
	write := func(cells []string) error {
		if err := lines.Write(cells); err != nil {
			return err
		}
		lines.Flush() // into out
		return lines.Error()
	}
	err := write(headings)
	if err == nil {
		_, err = writeRows(c, out, rows(out), func(_ int, row Row) error { return write(cells(row)) })
	}
	if err = out.Finish(err); err != nil {
		h.Del("Content-Disposition") // the failure is no file
	}
	return err
}

// csvText returns a text as a cell that no spreadsheet takes for a formula.
func csvText(text string) string {
	begin := strings.TrimLeft(text, " \u00a0\u3000")
	if begin != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(begin)[0]) {
		return "'" + text
	}
	return text
}

// csvNumber returns the cell of a number, which is empty for nil.
func csvNumber[N int64 | float64](n *N) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(float64(*n), 'f', -1, 64)
}

// csvTime returns the cell of a time, which is empty for nil.
func csvTime(t *instant) string {
	if t == nil {
		return ""
	}
	text, _ := t.MarshalText() // never fails
	return string(text)
}
