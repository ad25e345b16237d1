package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// UserRecord reads a user without the enrolments. It returns ErrNoRecord for a user who was
// deleted.
func (r reader) UserRecord(ctx context.Context, id string) (people.User, error) {
	var row struct {
		Name      string    `db:"name"`
		Email     string    `db:"email"`
		ImageURL  string    `db:"image_url"`
		CreatedAt timestamp `db:"created_at"`
		ChangedAt timestamp `db:"changed_at"`
		Metadata  metadata  `db:"metadata"`
	}
	err := r.q.Get(ctx, "read the record of a user", &row, `
		SELECT name, email, image_url, created_at, changed_at, metadata
		FROM {users} WHERE id = ? AND deleted_at IS NULL`, key(id))
	if err != nil {
		return people.User{}, err
	}
	return people.User{
		ID:        id,
		Name:      row.Name,
		Email:     row.Email,
		ImageURL:  row.ImageURL,
		CreatedAt: row.CreatedAt.Time(),
		ChangedAt: row.ChangedAt.Time(),
		Metadata:  core.Metadata(row.Metadata),
	}, nil
}

// ExportRows lists at most limit rows of a user in the order of the list's key. after is the key of
// the last row before them; nil for the beginning.
func (r reader) ExportRows(
	ctx context.Context, list exportlist.List, userID string, after []any, limit int,
) (rows []exportlist.Row, err error) {
	// Owner is the column with the id of the user.
	var f filter
	f.add(list.Owner+` = ?`, key(userID))
	byKey := order{columns: columnsOf(list.Key)}
	if after != nil {
		r.engine().addAfter(&f, byKey, after)
	}

	// Select the fields, and after them the key, by which the next page begins.
	query := `SELECT ` + strings.Join(append(columnsOf(list.Fields), byKey.columns...), `, `) +
		` FROM ` + list.From
	if list.Index != "" {
		query += r.engine().ForceIndex(list.Index)
	}
	stored := make([]any, 0, len(list.Fields)+len(list.Key))
	for _, field := range append(slices.Clone(list.Fields), list.Key...) {
		stored = append(stored, exportedColumn(field.Type))
	}

	// Read the rows: the stored columns become the values of the fields and of the key.
	err = r.q.Each(ctx, "list the "+list.Name+" of a user", stored, func() error {
		row := exportlist.Row{}
		for i, field := range list.Fields {
			value, err := exportedValue(field.Type, stored[i])
			if err != nil {
				return fmt.Errorf("parse the %s of %s: %w", field.Column, list.Name, err)
			}
			row.Values = append(row.Values, value)
		}
		formatMoney(list, row.Values)
		for _, column := range stored[len(list.Fields):] {
			row.Key = append(row.Key, keyArgument(column))
		}
		rows = append(rows, row)
		return nil
	}, query+f.where()+byKey.orderBy()+` LIMIT ?`, append(f.args, limit)...)
	return rows, err
}

// formatMoney makes the texts of amounts, now that the currency of the row is known.
func formatMoney(list exportlist.List, values []any) {
	at := slices.IndexFunc(list.Fields,
		func(f exportlist.Field) bool { return f.Name == "currency" })
	for i, f := range list.Fields {
		if f.Type == exportlist.Money {
			currency, _ := values[at].(string)
			minor, _ := values[i].(int64)
			values[i] = core.FormatMoney(core.Money(minor), currency)
		}
	}
}

// DeletePrivate deletes from the table of the list.
func (t *tx) DeletePrivate(ctx context.Context, list exportlist.List, userID string) error {
	_, err := t.Exec(ctx, "delete the "+list.Name+" of a user",
		`DELETE FROM `+list.From+` WHERE `+list.Owner+` = ?`, key(userID))
	return err
}

// columnsOf returns the columns of fields.
func columnsOf(fields []exportlist.Field) []string {
	columns := make([]string, len(fields))
	for i, f := range fields {
		columns[i] = f.Column
	}
	return columns
}

// exportedColumn returns a pointer to a new value, into which a column of a type is scanned. Types
// without a case are texts.
func exportedColumn(t exportlist.Type) any {
	switch t {
	case exportlist.Number, exportlist.Amount, exportlist.Money, exportlist.Bool:
		return new(int64)
	case exportlist.MaybeNumber:
		return new(*int64)
	case exportlist.Time, exportlist.Maybe, exportlist.DayOfTime:
		return new(timestamp)
	case exportlist.Metadata:
		return new(metadata)
	case exportlist.Texts, exportlist.Numbers:
		return new([]byte)
	}
	return new(sql.NullString)
}

// exportedValue returns the value of a column of a type; see [exportlist.Type]. column is the
// pointer that exportedColumn returned for the type.
func exportedValue(t exportlist.Type, column any) (any, error) {
	switch c := column.(type) {
	case *int64:
		switch t {
		case exportlist.Amount:
			return core.Hundredths(*c), nil
		case exportlist.Bool:
			return *c != 0, nil
		}
		return *c, nil
	case **int64:
		if *c == nil {
			return nil, nil
		}
		return **c, nil
	case *timestamp:
		switch {
		case t == exportlist.DayOfTime:
			return c.Time().Format(time.DateOnly), nil
		case t == exportlist.Maybe && c.Time().IsZero():
			return nil, nil
		}
		return c.Time(), nil
	case *metadata:
		if *c == nil { // {} rather than null
			return core.Metadata{}, nil
		}
		return core.Metadata(*c), nil
	case *[]byte:
		if t == exportlist.Numbers {
			list := []int64{}
			err := json.Unmarshal(*c, &list)
			return list, err
		}
		list := []string{}
		err := json.Unmarshal(*c, &list)
		return list, err
	case *sql.NullString:
		if t == exportlist.Nullable && c.String == "" {
			return nil, nil
		}
		return c.String, nil
	}
	panic("unreachable: exportedColumn returns no other type")
}

// keyArgument returns a column of a key, as exportedColumn returned it, as an argument of the
// statement that reads the next page.
func keyArgument(column any) any {
	switch c := column.(type) {
	case *int64:
		return *c
	case *timestamp:
		return *c
	case *sql.NullString:
		return key(c.String)
	}
	panic("a column of the key of an export is neither a number, a time nor a text")
}
