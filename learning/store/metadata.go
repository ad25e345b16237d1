package store

import (
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
	return formatJSON("metadata", map[string]string(m))
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
