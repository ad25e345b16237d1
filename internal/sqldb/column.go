package sqldb

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Timestamp is an instant in a DATETIME column, in UTC with microseconds. SQLite stores
// text of a fixed width, which sorts in the order of time. The driver of SQLite returns a
// time.Time if it knows the type of the column, and text otherwise, such as in a UNION.
type Timestamp time.Time

// TimestampLayout is the layout of a [Timestamp] in a statement.
const TimestampLayout = "2006-01-02 15:04:05.000000"

// Value implements [driver.Valuer]. It drops the part of the time below a microsecond.
func (s Timestamp) Value() (driver.Value, error) {
	return time.Time(s).UTC().Format(TimestampLayout), nil
}

// Scan implements [sql.Scanner]. NULL becomes the zero time.
func (s *Timestamp) Scan(v any) (err error) {
	var t time.Time
	switch v := v.(type) {
	case nil:
	case time.Time:
		t = v.UTC()
	case string:
		t, err = time.Parse(TimestampLayout, v)
	case []byte:
		t, err = time.Parse(TimestampLayout, string(v))
	default:
		err = fmt.Errorf("store: cannot scan a %T into a time", v)
	}
	*s = Timestamp(t)
	return err
}

// Time returns the instant.
func (s Timestamp) Time() time.Time { return time.Time(s) }

// OptionalTime is a Timestamp that stores the zero time as NULL.
type OptionalTime struct{ Timestamp }

// Value implements [driver.Valuer]. It returns nil, which is NULL, for the zero time.
func (s OptionalTime) Value() (driver.Value, error) {
	if s.Time().IsZero() {
		return nil, nil
	}
	return s.Timestamp.Value()
}

// Optional returns t as a value that is NULL if t is the zero time.
func Optional(t time.Time) OptionalTime { return OptionalTime{Timestamp(t)} }

// Key is an id as an argument of a statement. Every id must be passed as a Key, because
// Value checks it.
type Key string

// No row has an invalid id: a statement with ErrInvalidID reads, changes and deletes nothing, and
// an INSERT fails. A statement that would store an invalid id fails with ErrUnstorableID.
var (
	ErrInvalidID = errors.New(
		"store: invalid id: it ends with a space, has U+0000 or is not UTF-8")
	ErrUnstorableID = errors.New(
		"store: an invalid id cannot be stored: it ends with a space, has U+0000 or is not UTF-8")
)

// ErrUnstorableText is the error of a statement that would store a text which PostgreSQL cannot
// store. It fails on all engines alike, so that rows can be moved from one to another.
var ErrUnstorableText = errors.New(
	"store: a text that has U+0000 or is not UTF-8 cannot be stored")

// hasUnstorableText reports whether an argument is such a text. The other types of texts check
// themselves.
func hasUnstorableText(args []any) bool {
	return slices.ContainsFunc(args, func(arg any) bool {
		switch text := arg.(type) {
		case string:
			return !isStorable(text)
		case *string:
			return text != nil && !isStorable(*text)
		}
		return false
	})
}

// isStorable reports whether all engines can store a text.
func isStorable(text string) bool {
	return !strings.Contains(text, "\x00") && utf8.ValidString(text)
}

// Value implements [driver.Valuer]. It returns ErrInvalidID for an id that the engines
// would compare differently, such as one with a space at the end, which MySQL ignores.
func (k Key) Value() (driver.Value, error) {
	if !k.isValid() {
		return nil, ErrInvalidID
	}
	return string(k), nil
}

// isValid reports whether all engines compare k byte by byte. They do not if it ends with a space,
// has U+0000 or is not UTF-8.
func (k Key) isValid() bool {
	return !strings.HasSuffix(string(k), " ") && isStorable(string(k))
}

// StoredKey is an id that an UPDATE stores. Unlike with an invalid [Key], which matches no row, the
// statement fails if it is invalid.
type StoredKey string

// Value implements [driver.Valuer]. It returns ErrUnstorableID for an invalid id.
func (k StoredKey) Value() (driver.Value, error) {
	if !Key(k).isValid() {
		return nil, ErrUnstorableID
	}
	return string(k), nil
}

// OptionalText returns the value of a column that is NULL for an empty text: nil is NULL.
func OptionalText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// OptionalKey is a StoredKey that is stored as NULL if it is empty, so that a unique column
// allows many rows without a value.
type OptionalKey string

// Value implements [driver.Valuer]. It returns nil, which is NULL, for "", and ErrUnstorableID for
// an invalid id.
func (k OptionalKey) Value() (driver.Value, error) {
	if k == "" {
		return nil, nil
	}
	return StoredKey(k).Value()
}

// Scan implements [sql.Scanner]. NULL becomes "".
func (k *OptionalKey) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*k = ""
	case string:
		*k = OptionalKey(v)
	case []byte:
		*k = OptionalKey(v)
	default:
		return fmt.Errorf("store: cannot scan a %T into an id", v)
	}
	return nil
}
