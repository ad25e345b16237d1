package csvfile_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/csvfile"
)

// textOf returns the text of a cell as a file has it.
func textOf(t *testing.T, cell csvfile.Cell) string {
	t.Helper()
	var b bytes.Buffer
	if err := csvfile.NewWriter(&b).Row(cell, csvfile.Word("end")); err != nil {
		t.Fatal(err)
	}
	// The reader takes \r\n within a text for \n.
	row, err := csv.NewReader(&b).Read()
	if err != nil || len(row) != 2 {
		t.Fatalf("%q (%v)", row, err)
	}
	return row[0]
}

// A spreadsheet executes a cell that it takes for a formula, with the rights of its reader.
func TestText_IsNoFormula(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Ada": "Ada", "a=b": "a=b", "5 + 5": "5 + 5",
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t": "'\t",
		"\ra": "'\ra", "\na": "'\na", " =1": "' =1", "＝1": "'＝1", "\u00a0@x": "'\u00a0@x",
		"\"=1": "'\"=1", "\u200b=1": "'\u200b=1",
		// A spreadsheet that separates cells by semicolons or tabs splits a text at them, and one
		// that does not know the quotation marks of a text in the middle of a line splits it at
		// line ends.
		"a;=1": "a;'=1", "a; @b;c;-1": "a;' @b;c;'-1", "a;b": "a;b", ";": ";", "5;+5": "5;'+5",
		"a\t=1": "a\t'=1", "a\n=1": "a\n'=1", "a\r=1": "a\r'=1", "a;\"=1": "a;'\"=1",
		"=1;=2": "'=1;'=2", "\t=1": "'\t'=1", "a;＝1": "a;'＝1", "é; é": "é; é", "a,=1": "a,=1",
	} {
		if got := textOf(t, csvfile.Text(text)); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// However a file is split, no cell of its texts begins with a formula.
func FuzzText(f *testing.F) {
	for _, text := range []string{"a;=1", "\"a\";\"=1\"", "=1\r\n=2", ";;\t=1", "a, =1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var b bytes.Buffer
		w := csvfile.NewWriter(&b)
		if err := w.Row(csvfile.Word("x"), csvfile.Text(text), csvfile.Word("y")); err != nil {
			t.Fatal(err)
		}
		for _, separator := range []rune{';', '\t'} {
			r := csv.NewReader(strings.NewReader(b.String()))
			r.Comma, r.LazyQuotes, r.FieldsPerRecord = separator, true, -1
			rows, _ := r.ReadAll()
			for _, row := range rows {
				for _, cell := range row {
					if strings.IndexAny(strings.TrimLeft(cell, " \""), "=+-@") == 0 {
						t.Errorf("%q has the cell %q", b.String(), cell)
					}
				}
			}
		}
	})
}

func TestWriter_File(t *testing.T) {
	var b bytes.Buffer
	w := csvfile.NewWriter(&b)
	if err := w.Headings("name", "score"); err != nil {
		t.Fatal(err)
	}
	seconds := 1.5
	if err := w.Row(csvfile.Text("Ada, \"A\""), csvfile.Int(-3), csvfile.Bool(true),
		csvfile.Number(&seconds), csvfile.Number[float64](nil)); err != nil {
		t.Fatal(err)
	}
	const want = "\ufeffname,score\n\"Ada, \"\"A\"\"\",-3,true,1.5,\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}
