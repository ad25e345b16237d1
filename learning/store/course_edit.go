package store

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/study"
)

// LockCourse is an UPDATE that changes nothing, which locks the row on every engine. It reports
// whether there is such a course.
func (t *tx) LockCourse(ctx context.Context, id string) (bool, error) {
	return t.Lock(ctx, "course", id, `UPDATE {courses} SET version = version WHERE id = ?`)
}

// LockRequirements counts the transactions that add a requirement: the row of the counter is the
// lock, which all of them wait for.
func (t *tx) LockRequirements(ctx context.Context) error {
	_, err := t.Exec(ctx, "lock the requirements of courses", `
		INSERT INTO {counters} (name, counted)
		VALUES ('requirements', 1)`+
		t.Dialect().AddToRow("counters", []string{"name"}, []string{"counted"}))
	return err
}

// UpdateCourse changes nothing, and returns false, if the course no longer has the version of c:
// another change was first. It counts in version, which decides that, and in revision, by which
// readers of lists learn of changes.
func (t *tx) UpdateCourse(ctx context.Context, c catalog.Course) (bool, error) {
	return t.Update(ctx, "update a course", `
		UPDATE {courses} SET title = ?, description = ?, price = ?, discount = ?, is_published = ?,
			lectures = ?, minutes = ?, certificate_quizzes = ?, certificate_assignments = ?,
			metadata = ?, prices = ?, terms = ?, updated_at = ?,
			version = version + 1, revision = revision + 1
		WHERE id = ? AND version = ?`,
		c.Title, c.Description, c.Price, c.Discount, c.Published, c.Lectures, c.Minutes,
		c.Terms.Certificate.Quizzes, c.Terms.Certificate.Assignments,
		metadata(c.Metadata), prices(c.Prices), termsOf(c), timestamp(c.UpdatedAt), key(c.ID), c.Version)
}

// UpdateContent replaces the chapters of a course. It returns ErrNoRecord if there is no such
// course.
func (t *tx) UpdateContent(ctx context.Context, courseID string, content []catalog.Chapter) error {
	text, err := formatContent(content)
	if err != nil {
		return err
	}
	return t.MustUpdate(ctx, "update a course's content",
		`UPDATE {course_contents} SET has_assignment = ?, content = ? WHERE course_id = ?`,
		study.HasAssignment(content), text, key(courseID))
}

// SetThumbnail sets the name of the file, and counts as a change of the course. It returns
// ErrNoRecord if there is no such course.
func (t *tx) SetThumbnail(ctx context.Context, courseID, name string, at time.Time) error {
	return t.MustUpdate(ctx, "set a thumbnail", `
		UPDATE {courses} SET thumbnail = ?, updated_at = ?, version = version + 1,
			revision = revision + 1
		WHERE id = ?`,
		name, timestamp(at), key(courseID))
}

// CourseInUse reports whether a course has or had an enrolment, or has a purchase other than failed
// ones, also in a bundle. It lists all other statuses, because the index of purchases by course
// begins with the status.
func (r reader) CourseInUse(ctx context.Context, id string) (inUse bool, err error) {
	err = r.q.Get(ctx, "find out whether a course is in use", &inUse, `
		SELECT EXISTS (SELECT 1 FROM {enrollments} WHERE course_id = ?)
			OR EXISTS (SELECT 1 FROM {past_enrollments} WHERE course_id = ?)
			OR EXISTS (SELECT 1 FROM {purchases}
				WHERE status IN ('created', 'pending', 'completed', 'refunded') AND course_id = ?)
			OR EXISTS (SELECT 1 FROM {purchase_lines} l JOIN {purchases} p ON p.id = l.purchase_id
				WHERE l.course_id = ? AND p.status <> 'failed')`,
		key(id), key(id), key(id), key(id))
	return inUse, err
}

// InsertDeletedCourse copies the row of a course that is about to be deleted. The deletion counts
// as a change, so that the sum of all revisions grows: see CatalogueRevision.
func (t *tx) InsertDeletedCourse(ctx context.Context, id, courseID string, at time.Time) error {
	return t.InsertAll(ctx, "insert a deleted course", `
		INSERT INTO {deleted_courses} (id, course_id, title, revision, deleted_at)
		SELECT ?, id, title, revision + 1, ?
		FROM {courses}
		WHERE id = ?`,
		key(id), timestamp(at), key(courseID))
}

// DeleteCourse deletes the row of a course and nothing else of it. It returns ErrNoRecord if there
// is none.
func (t *tx) DeleteCourse(ctx context.Context, id string) error {
	return t.MustUpdate(ctx, "delete a course", `DELETE FROM {courses} WHERE id = ?`, key(id))
}

// DeleteContent deletes the chapters of a course. It returns ErrNoRecord if there are none.
func (t *tx) DeleteContent(ctx context.Context, courseID string) error {
	return t.MustUpdate(ctx, "delete a course's content",
		`DELETE FROM {course_contents} WHERE course_id = ?`, key(courseID))
}
