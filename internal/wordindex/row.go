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
