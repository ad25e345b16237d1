package safexml

import (
	"encoding/xml"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/budget"
)

// Start returns the first elements of a document, at most n, or as many as can be read of the
// beginning that data is. The document may be cut off.
func Start(b *budget.Budget, data []byte, n int) (list []xml.StartElement) {
	for range utf8.UTFMax - 1 { // without the first bytes of a character that was cut off
		if r, size := utf8.DecodeLastRune(data); r == utf8.RuneError && size == 1 {
			data = data[:len(data)-1]
		}
	}
	r, err := NewReader(b, data)
	if err != nil {
		return nil
	}
	for len(list) < n {
		token, err := r.Token()
		if err != nil {
			break
		}
		if start, isStart := token.(xml.StartElement); isStart {
			list = append(list, start.Copy())
		}
	}
	return list
}
