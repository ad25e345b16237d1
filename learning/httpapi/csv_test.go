package httpapi

import "testing"

// A spreadsheet executes a cell that it takes for a formula, with the rights of the educator.
func TestCSVText_IsNoFormula(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Ada": "Ada", "a=b": "a=b", "5 + 5": "5 + 5",
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1",
		"\r=1": "'\r=1", "\n=1": "'\n=1", " =1": "' =1", "＝1": "'＝1", "\u00a0@x": "'\u00a0@x",
	} {
		if got := csvText(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
