package people

import (
	"context"

	"github.com/openlectern/openlectern/internal/wordindex"
	"github.com/openlectern/openlectern/learning/core"
)

// UserWords is the list of the words of users who are not deleted.
const UserWords core.WordList = 2

// SearchWords returns the words of the name and the e-mail address. A deleted user has none.
func (u User) SearchWords() core.RowWords {
	w := core.RowWords{List: UserWords, RowID: u.ID, PersonID: u.ID}
	if u.DeletedAt.IsZero() {
		w.Own, w.Name = wordindex.Distinct(u.Email, wordindex.MaxRow),
			wordindex.Distinct(u.Name, wordindex.MaxRow)
	}
	return w
}

// replaceUserWords replaces the words of a user in the list of users. It also deletes the words of
// the old name from the courses of the user: the caller must give the courses the words of the new
// one, as [Hooks] does.
func replaceUserWords(ctx context.Context, tx Tx, words core.RowWords) error {
	ids := []string{words.RowID}
	// Delete the words that are of no name, such as those of the e-mail address, and then those of
	// the name, at the user and at courses.
	if err := tx.DeleteWords(ctx, UserWords, ids, nil); err != nil {
		return err
	}
	if err := tx.DeleteNameWords(ctx, ids); err != nil {
		return err
	}
	return tx.InsertWords(ctx, []core.RowWords{words})
}
