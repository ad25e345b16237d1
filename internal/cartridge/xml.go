package cartridge

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/safezip"
)

const (
	maxXML   = 8 << 20 // bytes of a document
	maxDepth = 50      // of its elements; those of a cartridge have about ten
)

func refuse(reason string) error { return &safezip.Error{Reason: reason} }

// decodeXML decodes an XML document of an archive. It refuses a document type, which is where
// entities are defined, elements that are nested too deep, and other encodings than UTF-8.
func decodeXML(f *safezip.File, to any) error {
	data, err := f.ReadAll(maxXML)
	if err != nil {
		return err
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return refuse("its " + f.Name + " is not UTF-8: save it in this encoding")
	}
	depth := 0
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return refuse("its " + f.Name + " is not valid XML in UTF-8 (" + err.Error() +
				"): export the cartridge anew")
		}
		switch token.(type) {
		case xml.Directive:
			return refuse("its " + f.Name + " has a document type or entities of its own, which " +
				"are not allowed: remove the DOCTYPE")
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
		if depth > maxDepth {
			return refuse("its " + f.Name + " has elements that are nested too deep: put the items " +
				"into fewer folders")
		}
	}
	if err := xml.Unmarshal(data, to); err != nil {
		return refuse("its " + f.Name + " is not valid XML (" + err.Error() +
			"): export the cartridge anew")
	}
	return nil
}
