package learning

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/people"
)

// Export is everything that the platform stores about one user, for this user. Each list is read
// in parts while it is written, so that an export of any length needs little memory and holds no
// connection. A list has the rows that exist while it is read; after the last one, call
// [Export.Check].
type Export struct {
	At          time.Time           // of the export
	User        *people.User        // without Enrolled; nil if the record of the user has not arrived
	Role        core.RoleAssignment // zero if no role is stored
	Application *people.Application // nil if there is none
	Billing     *papers.Billing     // nil if there is none
	Lists       []ExportedList      // one for each table

	check func(ctx context.Context) error
}

// ExportedList is a list of an [Export], such as that of the purchases (docs/api.md §17).
type ExportedList struct {
	Name   string   // in the document
	Fields []string // the names of the values of a row
	// Rows are the values of each row: a string, int64, bool, [core.Hundredths], [time.Time],
	// []string, []int64, [core.Metadata], or nil if there is none.
	Rows iter.Seq2[[]any, error]
}

// Check returns [people.ErrUserNotFound] if the user was deleted after the export had begun, so
// that its lists may lack rows.
func (e *Export) Check(ctx context.Context) error { return e.check(ctx) }

// Export returns everything that the platform stores about the actor. Error:
// [core.ErrUnauthenticated], also if the user was deleted.
func (p *Platform) Export(ctx context.Context, actor core.Actor) (*Export, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	// A user who is signed in may have no record yet, and has an export without it.
	export, _, err := p.export(ctx, actor.UserID)
	if errors.Is(err, people.ErrUserNotFound) { // deleted since the actor was identified
		return nil, core.ErrUnauthenticated
	}
	return export, err
}

// Export returns everything that the platform stores about a user. It returns
// [people.ErrUserNotFound] if there is no record of the user, or the user was deleted.
func (s System) Export(ctx context.Context, userID string) (*Export, error) {
	if !text.ValidID(userID, core.MaxUserID) {
		return nil, people.ErrUserNotFound
	}
	export, known, err := s.platform.export(ctx, userID)
	if err == nil && !known {
		err = people.ErrUserNotFound
	}
	if err != nil {
		return nil, err
	}
	return export, nil
}

// export returns the export of a user, and whether there is a record of the user, without which the
// export has no User. It returns [people.ErrUserNotFound] if the user was deleted.
func (p *Platform) export(ctx context.Context, userID string) (e *Export, known bool, err error) {
	// A deleted user has no export. An unknown one may have rows, for instance of chats.
	s, err := p.store.AccountState(ctx, userID)
	if err == nil && s.Deleted {
		err = people.ErrUserNotFound
	}
	if err != nil {
		return nil, false, core.Wrap("export a user", err)
	}

	// The lists are read when the caller writes them.
	e = &Export{
		At:    p.base.Now(),
		Role:  s.RoleAssignment,
		Lists: p.exportedLists(ctx, userID),
		check: func(ctx context.Context) error {
			state, err := p.store.AccountState(ctx, userID)
			if err == nil && state.Deleted {
				return people.ErrUserNotFound
			}
			return core.Wrap("read the user of an export", err)
		},
	}

	// Read the record, the application and the billing data, which are single rows.
	if s.Known {
		u, err := p.store.UserRecord(ctx, userID)
		if err != nil { // ErrNoRecord: the user was deleted meanwhile
			return nil, false, core.Wrap("export the record of a user", orUserNotFound(err))
		}
		e.User = &u
	}
	a, err := p.store.ApplicationOf(ctx, userID)
	switch {
	case err == nil:
		e.Application = &a
	case !errors.Is(err, core.ErrNoRecord):
		return nil, false, core.Wrap("export the application of a user", err)
	}
	b, err := p.store.Billing(ctx, userID)
	switch {
	case err == nil:
		e.Billing = &b
	case !errors.Is(err, core.ErrNoRecord):
		return nil, false, core.Wrap("export the billing data of a user", err)
	}
	return e, s.Known, nil
}

// orUserNotFound returns [people.ErrUserNotFound] for [core.ErrNoRecord], and another err
// unchanged.
func orUserNotFound(err error) error {
	if errors.Is(err, core.ErrNoRecord) {
		return people.ErrUserNotFound
	}
	return err
}

// ExportLists returns what the rooms declare of the lists of an export, in their order in the
// document. It is for package httpapi and for stores.
func ExportLists() []exportlist.List {
	var lists []exportlist.List
	for _, room := range new(Platform).allRooms() { // declarations need no services
		lists = append(lists, room.ExportLists()...)
	}
	return exportlist.InOrder(lists)
}

// exportedLists returns the lists of an export. Their rows are read while the caller ranges over
// them.
func (p *Platform) exportedLists(ctx context.Context, userID string) []ExportedList {
	lists := make([]ExportedList, len(p.exportLists))
	for i, declared := range p.exportLists {
		lists[i] = ExportedList{Name: declared.Name, Rows: p.exportedRows(ctx, declared, userID)}
		for _, f := range declared.Fields {
			lists[i].Fields = append(lists[i].Fields, f.Name)
		}
	}
	return lists
}

// exportedRows returns the rows of a list that belong to a user. It reads them in parts, while the
// caller ranges over them, and ends after an error.
func (p *Platform) exportedRows(
	ctx context.Context, list exportlist.List, userID string,
) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		var after []any // the key of the last row that was read; nil before the first one
		for {
			rows, err := p.store.ExportRows(ctx, list, userID, after, paging.PartRows)
			if err != nil {
				yield(nil, core.Wrap("export the "+list.Name+" of a user", err))
				return
			}
			// No connection is held while the caller writes a row.
			for _, row := range rows {
				if !yield(row.Values, nil) {
					return
				}
				after = row.Key
			}
			if isLast := len(rows) < paging.PartRows; isLast {
				return
			}
		}
	}
}

// exportReader reads the rows of one user for an export.
type exportReader interface {
	// UserRecord reads a record, without the courses of the user. It returns [core.ErrNoRecord]
	// if the user was deleted.
	UserRecord(ctx context.Context, id string) (people.User, error)
	// ExportRows lists at most limit rows of a list that belong to a user, in the order of their
	// keys, which follow the key after, or the first ones if it is nil.
	ExportRows(
		ctx context.Context, list exportlist.List, userID string, after []any, limit int,
	) ([]exportlist.Row, error)
}

// exportWriter deletes rows that an export lists.
type exportWriter interface {
	// DeletePrivate deletes all rows of a private list that belong to a user.
	DeletePrivate(ctx context.Context, list exportlist.List, userID string) error
}
