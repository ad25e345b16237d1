package enginetest

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/stdlib"
)

// TableNames returns the names of the tables of a database in their order, without those that
// package sqldb has for itself. Their names begin with "learning_".
func TableNames(tb testing.TB, db *sql.DB) (names []string) {
	tb.Helper()
	const ofServer = "SELECT table_name FROM information_schema.tables WHERE table_schema = "
	query := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' " +
		"ORDER BY name"
	switch db.Driver().(type) {
	case *mysql.MySQLDriver:
		query = ofServer + "DATABASE() ORDER BY table_name"
	case *stdlib.Driver:
		query = ofServer + "current_schema ORDER BY table_name"
	}
	rows, err := db.QueryContext(tb.Context(), query)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			tb.Fatal(err)
		}
		if !strings.HasPrefix(name, "learning_") {
			names = append(names, name)
		}
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return names
}

// computed are the columns that the engine computes, which an INSERT must not name.
var computed = []string{"courses.net_price", "courses.rating", "enrollments.recent_at",
	"posts.is_answered", "ratings.is_answered"}

// Columns returns the names and types of the columns of a table, without those that the engine
// computes.
func Columns(tb testing.TB, db *sql.DB, table string) []*sql.ColumnType {
	tb.Helper()
	// A query without rows returns them.
	rows, err := db.QueryContext(tb.Context(), "SELECT * FROM "+table+" WHERE 1 = 0")
	if err != nil {
		tb.Fatal(err)
	}
	columns, err := rows.ColumnTypes()
	if err != nil {
		tb.Fatal(err)
	}
	if err := rows.Close(); err != nil {
		tb.Fatal(err)
	}
	return slices.DeleteFunc(columns, func(column *sql.ColumnType) bool {
		return slices.Contains(computed, table+"."+column.Name())
	})
}

// InsertRows inserts n rows into a table, so that tests have rows of tables that they do not know.
// text returns the text of a column in the i-th row, counted from 0; it must not contain a quote.
// The i-th time is i minutes after at, the i-th number is i+1, and truth values alternate.
func InsertRows(
	tb testing.TB, db *sql.DB, table string, n int, at time.Time,
	text func(column string, i int) string,
) {
	tb.Helper()
	columns := Columns(tb, db, table)
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.Name()
	}

	// Insert many rows with each statement, because that takes less time.
	const rowsPerStatement = 500
	for from := 0; from < n; from += rowsPerStatement {
		var tuples []string // "(1, 'text')"
		for i := from; i < min(from+rowsPerStatement, n); i++ {
			values := make([]string, len(columns))
			for c, column := range columns {
				kind := column.DatabaseTypeName()
				switch {
				case strings.HasPrefix(kind, "DATETIME") || kind == "TIMESTAMP":
					values[c] = at.Add(time.Duration(i) * time.Minute).UTC().
						Format("'2006-01-02 15:04:05.000000'")
				case kind == "TINYINT" || kind == "INT2": // a truth value
					values[c] = fmt.Sprint(i % 2)
				case strings.Contains(kind, "INT"):
					values[c] = fmt.Sprint(i + 1)
				default:
					values[c] = "'" + text(column.Name(), i) + "'"
				}
			}
			tuples = append(tuples, "("+strings.Join(values, ", ")+")")
		}
		_, err := db.ExecContext(tb.Context(),
			"INSERT INTO "+table+" ("+strings.Join(names, ", ")+") VALUES "+strings.Join(tuples, ", "))
		if err != nil {
			tb.Fatalf("fill %s: %v", table, err)
		}
	}
}
