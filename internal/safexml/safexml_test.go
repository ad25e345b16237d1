package safexml_test

import (
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/safexml"
)

// What a decoder would build, or read again and again, before a reader sees it is refused before
// the decoder begins, however it is hidden.
func TestDecode_RefusesWhatADecoderBuilds(t *testing.T) {
	attributes := "<x " + strings.Repeat(" a=''", 300) + "/>"
	for source, want := range map[string]string{
		attributes:                                               "too many attributes",
		`<!--> <a " -->` + attributes:                            "too many attributes",
		`<!---> <a " -->` + attributes:                           "too many attributes",
		`<r><![CDATA[<a "]]>` + attributes:                       "too many attributes",
		`<?x <a " ?>` + attributes:                               "too many attributes",
		`<!DOCTYPE a <!-- " -->>` + attributes:                   "DOCTYPE",
		`<!DOCTYPE a<b>` + strings.Repeat(`""y`, 1000) + `><r/>`: "DOCTYPE",
		`<!DOCTYPE a [<!ENTITY b "c">]><r/>`:                     "DOCTYPE",
		`<!ENTITY b "c"><r/>`:                                    "DOCTYPE",
		`<r><!ATTLIST r a CDATA "b"></r>`:                        "DOCTYPE",
		`<!DOCTYPE a` + strings.Repeat(`""y`, 1000) + `><r/>`:    "attributes",
	} {
		var to struct{}
		b := budget.New(t.Context(), int64(len(source)))
		err := safexml.Decode(b, []byte(source), &to)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", source, err, want)
		}
	}
	for _, source := range []string{`<!DOCTYPE a SYSTEM "a<b[">` + "\n<r/>",
		`<!-- <a " --><r a="&lt;"/>`, `<!----><r/>`, `<r><![CDATA[]]><![CDATA[ <a " ]]></r>`} {
		var to struct{}
		b := budget.New(t.Context(), int64(len(source)))
		if err := safexml.Decode(b, []byte(source), &to); err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
}
