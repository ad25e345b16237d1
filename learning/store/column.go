package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/sqldb"
)

// The types of arguments and columns that the engines would treat differently: see package sqldb.
type (
	// key is an id in a condition or an INSERT. A condition with an invalid id, such as one that
	// ends with a space, matches no row, and an INSERT with it fails.
	key = sqldb.Key
	// storedKey is an id that an UPDATE sets. The statement fails if the id is invalid, where a
	// key would make it match no row.
	storedKey = sqldb.StoredKey
	// optionalKey is a storedKey that is NULL in the database if it is "".
	optionalKey = sqldb.OptionalKey
	// timestamp is an instant. It is the zero time where the column is NULL.
	timestamp = sqldb.Timestamp
	// optionalTime is a timestamp that is stored as NULL if it is the zero time.
	optionalTime = sqldb.OptionalTime
)

// optional returns t as an argument that is NULL if t is the zero time.
func optional(t time.Time) optionalTime { return sqldb.Optional(t) }

// optionalText returns s as an argument that is NULL if s is "".
func optionalText(s string) *string { return sqldb.OptionalText(s) }

// parseJSON decodes the JSON of a column into a pointer, and leaves it as it is for NULL. The
// errors name what.
func parseJSON(what string, value, into any) error {
	var text []byte
	switch value := value.(type) {
	case nil:
		return nil
	case string:
		text = []byte(value)
	case []byte:
		text = value
	default:
		return fmt.Errorf("parse %s: it is a %T", what, value)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("parse %s: %w", what, err)
	}
	return nil
}

// formatJSON returns the text of a column that has JSON. what is the value, for the error.
func formatJSON(what string, value any) (string, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // the text is not HTML, and escapes take more space
	if err := e.Encode(value); err != nil {
		return "", fmt.Errorf("format %s: %w", what, err)
	}
	return text.String(), nil
}
