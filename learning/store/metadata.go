package store

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"github.com/openlectern/openlectern/learning/core"
)

// metadata is the column with the metadata of a row: a JSON object of texts, and NULL for none.
type metadata core.Metadata

// Value implements [driver.Valuer].
func (m metadata) Value() (driver.Value, error) {
	if len(m) == 0 {
		return nil, nil
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // the text is not HTML, and escapes take more space
	if err := e.Encode(map[string]string(m)); err != nil {
		return nil, fmt.Errorf("format metadata: %w", err)
	}
	return text.String(), nil
}

// Scan implements [database/sql.Scanner].
func (m *metadata) Scan(value any) error {
	*m = nil // a scan of the row before may have set it
	var text []byte
	switch value := value.(type) {
	case nil:
		return nil
	case string:
		text = []byte(value)
	case []byte:
		text = value
	default:
		return fmt.Errorf("parse metadata: it is a %T", value)
	}
	if err := json.Unmarshal(text, m); err != nil {
		return fmt.Errorf("parse metadata: %w", err)
	}
	return nil
}
