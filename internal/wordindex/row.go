package wordindex

import "context"

// List is a list whose rows are found by their words.
type List int

// Row is the words of a row for a search.
type Row struct {
	List     List
	RowID    string
	Own      []string // of the texts of the row
	PersonID string   // the user whose name Name is; "" if Name is empty
	Name     []string
}

// IDs returns the ids of rows.
func IDs(rows []Row) []string {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.RowID
	}
	return ids
}

// maxRead is how many rows without words are read at a time.
const maxRead = 100

// IndexAll calls index with all records that read returns and with their words, in groups of as
// many as one statement inserts, and returns how many records there were. read must not return
// records again that were indexed.
func IndexAll[R any](
	ctx context.Context, read func(context.Context, int) ([]R, error), words func(R) Row,
	index func(context.Context, []R, []Row) error,
) (n int, err error) {
	for {
		records, err := read(ctx, maxRead)
		if err != nil || len(records) == 0 {
			return n, err
		}
		for len(records) > 0 {
			group := firstGroup(records, words)
			if err := index(ctx, records[:len(group)], group); err != nil {
				return n, err
			}
			n += len(group)
			records = records[len(group):]
		}
	}
}

// firstGroup returns the words of as many of the first records as one statement inserts, of one
// record at least.
func firstGroup[R any](records []R, words func(R) Row) (group []Row) {
	for size := 0; len(group) < len(records); {
		w := words(records[len(group)])
		if size += len(w.Own) + len(w.Name); size > MaxRow && len(group) > 0 {
			break
		}
		group = append(group, w)
	}
	return group
}

// Reader reads the words of rows.
type Reader interface {
	// CountWords returns for each of the beginnings how many entries of the list begin with it,
	// at most limit. A row has an entry for each of its words.
	CountWords(ctx context.Context, list List, beginnings []string, limit int) ([]int, error)
}

// Writer writes the words of rows.
type Writer interface {
	// InsertWords inserts words of rows, which must have none of them.
	InsertWords(ctx context.Context, rows []Row) error
	// DeleteWords deletes the words of the texts of rows, and the words that they have from the
	// names of the users.
	DeleteWords(ctx context.Context, list List, rowIDs, userIDs []string) error
	// DeleteNameWords deletes the words of the names of users, in all lists.
	DeleteNameWords(ctx context.Context, userIDs []string) error
}
