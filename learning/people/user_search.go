package people

import (
	"context"

	"github.com/openlectern/openlectern/internal/wordindex"
	"github.com/openlectern/openlectern/learning/core"
)

const (
	// UserWords is the list of the words of users who are not deleted: of their names and e-mail
	// addresses.
	UserWords core.WordList = 2
	// NameWords has the words of their names only. Educators must not find students by their
	// addresses, and a word that only addresses have is known at once to find none.
	NameWords core.WordList = 4
)

// SearchWords returns the words of the name and the e-mail address. A deleted user has none.
func (u User) SearchWords() []core.RowWords {
	if !u.DeletedAt.IsZero() {
		return nil
	}
	name := wordindex.Distinct(u.Name, wordindex.MaxRow)
	return []core.RowWords{
		{List: UserWords, RowID: u.ID, PersonID: u.ID, Name: name,
			Own: wordindex.Distinct(u.Email, wordindex.MaxRow)},
		{List: NameWords, RowID: u.ID, PersonID: u.ID, Name: name},
	}
}

// replaceUserWords replaces the words of a user in the lists of users. It also deletes the words of
// the old name from the courses of the user: the caller must give the courses the words of the new
// one, as [Hooks] does.
func replaceUserWords(ctx context.Context, tx Tx, userID string, words []core.RowWords) error {
	ids := []string{userID}
	// Delete the words that are of no name, such as those of the e-mail address, and then those of
	// the name, at the user and at courses.
	if err := tx.DeleteWords(ctx, UserWords, ids, nil); err != nil {
		return err
	}
	if err := tx.DeleteNameWords(ctx, ids); err != nil {
		return err
	}
	return tx.InsertWords(ctx, words)
}
