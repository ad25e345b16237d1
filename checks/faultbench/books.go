//go:build linux

package faultbench

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// ledger compares what the visitors, the gateway and the receiver of events know with the database.
type ledger struct {
	db       *sql.DB
	box      *sandbox.Sandbox
	claims   *claims
	receiver *receiver
	files    func() ([]string, error) // names of the stored files
	found    []string                 // differences
}

// books returns the differences between what was answered, paid and delivered, and what is in the
// database. The servers must have stopped. If there is an error, the differences mean nothing,
// because a check may have compared with a part of the rows.
func (l *ledger) books(ctx context.Context) ([]string, error) {
	for _, check := range []func(context.Context) error{
		l.checkInvariants, l.checkPayments, l.checkRefunds, l.checkAccess, l.checkCoupons,
		l.checkAnswers, l.checkToggles, l.checkEvents, l.checkApplications, l.checkFiles,
	} {
		if err := check(ctx); err != nil {
			return l.found, err
		}
	}
	return l.found, nil
}

// difference stores what is wrong.
func (l *ledger) difference(format string, args ...any) {
	const enough = 50 // a run that goes wrong has thousands
	if len(l.found) < enough {
		l.found = append(l.found, fmt.Sprintf(format, args...))
	}
}

// rows returns the result of a query, with the first column as key and the others, joined by "|",
// as value.
func (l *ledger) rows(ctx context.Context, query string) (map[string]string, error) {
	rows, err := l.db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for rows.Next() {
		// Read the row as texts, whatever its columns are. NULL is an empty text.
		values, targets := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = v.String
		}
		// The first column must identify the row.
		if before, ok := all[texts[0]]; ok {
			l.difference("%s has two rows %s: %s and %s", query, texts[0], before,
				strings.Join(texts[1:], "|"))
		}
		all[texts[0]] = strings.Join(texts[1:], "|")
	}
	return all, rows.Err()
}

// keys returns the rows of a table as the keys of a map: the given columns joined by "|". The
// values are "". What follows FROM may stand in place of the table.
func (l *ledger) keys(ctx context.Context, table string,
	columns ...string) (map[string]string, error) {
	return l.rows(ctx, "SELECT "+l.concat(columns)+" FROM "+table)
}

// concat returns an expression of columns joined by "|", in the SQL of both engines.
func (l *ledger) concat(columns []string) string {
	if isMySQL(l.db) {
		return "CONCAT_WS('|', " + strings.Join(columns, ", ") + ")"
	}
	return strings.Join(columns, " || '|' || ")
}

// isMySQL reports whether the driver of a database is that of MySQL.
func isMySQL(db *sql.DB) bool {
	return strings.HasPrefix(fmt.Sprintf("%T", db.Driver()),
		"*mysql.")
}

// checkInvariants runs the queries that must return no rows. Package invariants has the part of
// each query that follows FROM, by the name of what it violates.
func (l *ledger) checkInvariants(ctx context.Context) error {
	all := []map[string]string{
		invariants.Community, invariants.Events, invariants.Courses, invariants.Refunds,
		invariants.Totals, invariants.Papers,
	}
	for _, queries := range all {
		for _, name := range slices.Sorted(maps.Keys(queries)) {
			count := "SELECT COUNT(*) FROM " + sqldb.Names{}.Expand(queries[name])
			var violations int
			if err := l.db.QueryRowContext(ctx, count).Scan(&violations); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if violations > 0 {
				l.difference("%d rows violate the invariant %q: %s", violations, name,
					queries[name])
			}
		}
	}
	return nil
}

// compare stores a difference for each entry of want that got lacks or has with another value. It
// ignores what got has beyond that; a second call with the two exchanged finds it.
func (l *ledger) compare(what string, want, got map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if value, ok := got[key]; !ok || value != want[key] {
			l.difference("%s %s: want %q, got %q (there: %v)", what, key, want[key], value, ok)
		}
	}
}
