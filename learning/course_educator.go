package learning

import "context"

// educatorChanged marks the courses of a user as changed, because lists show the name, and
// searches find it. It gives the published courses the words of the name. They have none then:
// the caller has deleted those of an old name. Without courses it does nothing.
func (s *catalogService) educatorChanged(ctx context.Context, tx catalogTx, userID string) error {
	listed, err := tx.MarkCoursesChanged(ctx, userID)
	if err != nil || !listed {
		return err
	}
	tx.AfterCommit(s.catalogueChanged)
	var allCourses []string // nil: all courses of the user
	return tx.InsertEducatorWords(ctx, []string{userID}, allCourses)
}
