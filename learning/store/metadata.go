package store

import (
	"database/sql/driver"

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
	return parseJSON("metadata", value, m)
}
