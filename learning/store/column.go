package store

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// stamp is an instant in a DATETIME column, in UTC and microseconds. SQLite keeps
// it as text of a fixed width, so that it sorts as time; its driver gives it back
// as a time where it knows the type of the column, and as text elsewhere, such as
// in a UNION.
type stamp time.Time

const stampLayout = "2006-01-02 15:04:05.000000"

// Value writes the instant.
func (s stamp) Value() (driver.Value, error) {
	return time.Time(s).UTC().Format(stampLayout), nil
}

// Scan reads an instant; NULL is the zero time.
func (s *stamp) Scan(v any) (err error) {
	var t time.Time
	switch v := v.(type) {
	case nil:
	case time.Time:
		t = v.UTC()
	case string:
		t, err = time.Parse(stampLayout, v)
	case []byte:
		t, err = time.Parse(stampLayout, string(v))
	default:
		err = fmt.Errorf("store: a time in a column came as %T", v)
	}
	*s = stamp(t)
	return err
}

func (s stamp) time() time.Time { return time.Time(s) }

// optionalStamp is a stamp whose zero time is NULL.
type optionalStamp struct{ stamp }

// Value writes the instant, or NULL.
func (s optionalStamp) Value() (driver.Value, error) {
	if s.time().IsZero() {
		return nil, nil
	}
	return s.stamp.Value()
}

func optional(t time.Time) optionalStamp { return optionalStamp{stamp(t)} }

// key is an id in a statement. Every id must be passed as one.
type key string

var errNoKey = errors.New("store: not an id: it ends with a blank or is not UTF-8")

// Value writes the id, unless it is one that the engines would take for different
// things (see the package's comment).
func (k key) Value() (driver.Value, error) {
	if strings.HasSuffix(string(k), " ") || !utf8.ValidString(string(k)) {
		return nil, errNoKey
	}
	return string(k), nil
}

// optionalKey is a key that is NULL when it is empty, so that any number of rows
// can have none in a unique column.
type optionalKey string

// Value writes the id, or NULL.
func (k optionalKey) Value() (driver.Value, error) {
	if k == "" {
		return nil, nil
	}
	return key(k).Value()
}

// Scan reads an id; NULL is "".
func (k *optionalKey) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*k = ""
	case string:
		*k = optionalKey(v)
	case []byte:
		*k = optionalKey(v)
	default:
		return fmt.Errorf("store: an id in a column came as %T", v)
	}
	return nil
}
