package store

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// timestamp is an instant in a DATETIME column, in UTC with microseconds. SQLite stores
// text of a fixed width, which sorts in the order of time. The driver of SQLite returns a
// time.Time if it knows the type of the column, and text otherwise, such as in a UNION.
type timestamp time.Time

const timestampLayout = "2006-01-02 15:04:05.000000"

// Value implements [driver.Valuer].
func (s timestamp) Value() (driver.Value, error) {
	return time.Time(s).UTC().Format(timestampLayout), nil
}

// Scan implements [sql.Scanner]. NULL becomes the zero time.
func (s *timestamp) Scan(v any) (err error) {
	var t time.Time
	switch v := v.(type) {
	case nil:
	case time.Time:
		t = v.UTC()
	case string:
		t, err = time.Parse(timestampLayout, v)
	case []byte:
		t, err = time.Parse(timestampLayout, string(v))
	default:
		err = fmt.Errorf("store: cannot scan a %T into a time", v)
	}
	*s = timestamp(t)
	return err
}

func (s timestamp) time() time.Time { return time.Time(s) }

// optionalTime is a timestamp that stores the zero time as NULL.
type optionalTime struct{ timestamp }

// Value implements [driver.Valuer].
func (s optionalTime) Value() (driver.Value, error) {
	if s.time().IsZero() {
		return nil, nil
	}
	return s.timestamp.Value()
}

func optional(t time.Time) optionalTime { return optionalTime{timestamp(t)} }

// key is an id as an argument of a statement. Every id must be passed as a key, because
// Value checks it.
type key string

// No row has an invalid id: a statement with errInvalidID reads, changes and deletes nothing, and
// an INSERT fails. A statement that would store an invalid id fails with errUnstorableID.
var (
	errInvalidID    = errors.New("store: invalid id: it ends with a space, has U+0000 or is not UTF-8")
	errUnstorableID = errors.New("store: an invalid id cannot be stored: it ends with a space, has U+0000 or is not UTF-8")
)

// Value implements [driver.Valuer]. It returns errInvalidID for an id that the engines
// would compare differently: see the comment of the package.
func (k key) Value() (driver.Value, error) {
	if !k.isValid() {
		return nil, errInvalidID
	}
	return string(k), nil
}

func (k key) isValid() bool {
	return !strings.HasSuffix(string(k), " ") && !strings.Contains(string(k), "\x00") && utf8.ValidString(string(k))
}

// storedKey is an id that an UPDATE stores.
type storedKey string

// Value implements [driver.Valuer].
func (k storedKey) Value() (driver.Value, error) {
	if !key(k).isValid() {
		return nil, errUnstorableID
	}
	return string(k), nil
}

// optionalText returns the value of a column that is NULL for an empty text.
func optionalText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// optionalKey is a storedKey that is stored as NULL if it is empty, so that a unique column
// allows many rows without a value.
type optionalKey string

// Value implements [driver.Valuer].
func (k optionalKey) Value() (driver.Value, error) {
	if k == "" {
		return nil, nil
	}
	return storedKey(k).Value()
}

// Scan implements [sql.Scanner]. NULL becomes "".
func (k *optionalKey) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*k = ""
	case string:
		*k = optionalKey(v)
	case []byte:
		*k = optionalKey(v)
	default:
		return fmt.Errorf("store: cannot scan a %T into an id", v)
	}
	return nil
}
