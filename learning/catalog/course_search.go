package catalog

import (
	"context"
	"maps"

	"github.com/openlectern/openlectern/internal/wordindex"
	"github.com/openlectern/openlectern/learning/core"
)

const (
	// CourseWords is the list of the words of published courses.
	CourseWords core.WordList = 1
	// CoursePairs is the list of the pairs of metadata of courses, drafts too. It is not part of
	// CourseWords, so that a program without metadata, which runs beside this one during an
	// upgrade, keeps the pairs of a course whose words it replaces.
	CoursePairs core.WordList = 3
)

// SearchWords returns the words of the title and the description. A draft has none, because it is
// not searched. The words of the educator's name are those of the user.
func (c Course) SearchWords() core.RowWords {
	w := core.RowWords{List: CourseWords, RowID: c.ID}
	if c.Published {
		w.Own = wordindex.Distinct(c.Title+"\n"+c.Description, wordindex.MaxRow)
	}
	return w
}

// SearchPairs returns the words of the metadata.
func (c Course) SearchPairs() core.RowWords {
	return core.RowWords{List: CoursePairs, RowID: c.ID, Own: c.Metadata.SearchWords()}
}

// replaceCoursePairs replaces the words of the metadata of a course, if an edit changes it.
func replaceCoursePairs(ctx context.Context, tx Tx, old, edited Course) error {
	if maps.Equal(old.Metadata, edited.Metadata) {
		return nil
	}
	var noUsers []string
	if err := tx.DeleteWords(ctx, CoursePairs, []string{old.ID}, noUsers); err != nil {
		return err
	}
	return tx.InsertWords(ctx, []core.RowWords{edited.SearchPairs()})
}

// replaceCourseWords replaces the words of a course, with those of its educator's name.
func replaceCourseWords(ctx context.Context, tx Tx, c Course) error {
	ids := []string{c.ID}
	educators := []string{c.Educator.ID}
	if err := tx.DeleteWords(ctx, CourseWords, ids, educators); err != nil {
		return err
	}
	if err := tx.InsertWords(ctx, []core.RowWords{c.SearchWords()}); err != nil {
		return err
	}
	return tx.InsertEducatorWords(ctx, educators, ids)
}

// searchReader reads the words of rows.
type searchReader interface {
	wordindex.Reader
}

// searchWriter writes the words of rows.
type searchWriter interface {
	wordindex.Writer
	// InsertEducatorWords gives published courses the words of the names of their educators: all
	// courses of the users if courseIDs is nil, else those of them that it names. They must have
	// none of these words.
	InsertEducatorWords(ctx context.Context, userIDs, courseIDs []string) error
}

// EducatorChanged marks the courses of a user as changed, because lists show the name, and
// searches find it. It gives the published courses the words of the name. They have none then:
// the caller has deleted those of an old name. Without courses it does nothing.
func (s *ForRooms) EducatorChanged(ctx context.Context, tx Tx, userID string) error {
	listed, err := tx.MarkCoursesChanged(ctx, userID)
	if err != nil || !listed {
		return err
	}
	tx.AfterCommit((*Service)(s).catalogueChanged)
	var allCourses []string // nil: all courses of the user
	return tx.InsertEducatorWords(ctx, []string{userID}, allCourses)
}
