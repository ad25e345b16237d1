package httpapi

import (
	"fmt"
	"iter"
	"net/http"

	"github.com/openlectern/openlectern/internal/csvfile"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
)

// csvContent is the media type of a list for spreadsheets.
const csvContent = csvfile.MediaType

// formatParameter is the parameter of a list that is also answered as CSV.
var formatParameter = parameter{
	name: "format",
	text: "`csv`: the whole list as a file for spreadsheets, in UTF-8 with a byte order mark and a " +
		"line of headings. An apostrophe stands before each part of a text, also after a " +
		"semicolon, a tab or a line end, that a spreadsheet could take for a formula.",
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
	return false, core.InvalidField("format", unknownWord)
}

// writeCSV answers rows as a file. rows returns them, as they are read while out is written; cells
// returns those of a row. A failure after the answer has begun breaks the connection, so that the
// client sees that the file is not whole.
func writeCSV[Row any](
	w http.ResponseWriter, c *call, name string, headings []string,
	rows func(out *web.PartWriter) iter.Seq2[Row, error], cells func(Row) []csvfile.Cell,
) error {
	h := w.Header()
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	out := web.NewPartWriter(w, &c.Call, nothingHeld)
	out.MediaType = csvContent + "; charset=utf-8"
	file := csvfile.NewWriter(out)
	err := file.Headings(headings...)
	if err == nil {
		_, err = writeRows(c, out, rows(out),
			func(_ int, row Row) error { return file.Row(cells(row)...) })
	}
	if err = out.Finish(err); err != nil {
		h.Del("Content-Disposition") // the failure is no file
	}
	return err
}

// csvTime returns the cell of a time, which is empty for nil.
func csvTime(t *instant) csvfile.Cell {
	if t == nil {
		return csvfile.Cell{}
	}
	text, _ := t.MarshalText() // never fails
	return csvfile.Word(string(text))
}
