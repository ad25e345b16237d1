package store

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

// own describes how the rows of one user are read in pages.
type own struct {
	action string
	query  string                        // up to the WHERE clause
	owner  string                        // the column with the id of the user
	by     []string                      // the order: columns that are unique together with owner
	after  func(learning.Position) []any // the values of these columns at a position
}

func byID(p learning.Position) []any   { return []any{key(p.ID)} }
func byIDs(p learning.Position) []any  { return []any{key(p.ID), key(p.ID2)} }
func byTime(p learning.Position) []any { return []any{timestamp(p.At), key(p.ID)} }

// ownPage reads a page of the rows of a user. row returns what is stored in one of them.
func ownPage[Stored, Row any](ctx context.Context, r reader, o own, userID string, page learning.Page, row func(*Stored) (Row, error)) ([]Row, error) {
	var f filter
	f.add(o.owner+` = ?`, key(userID))
	byKey := order{columns: o.by}
	if !page.After.IsZero() {
		r.engine().addAfter(&f, byKey, o.after(page.After))
	}
	var stored []Stored
	if err := r.q.List(ctx, o.action, &stored, o.query+f.where()+byKey.orderBy()+` LIMIT ?`, append(f.args, page.Limit)...); err != nil {
		return nil, err
	}
	rows := make([]Row, len(stored))
	for i := range stored {
		var err error
		if rows[i], err = row(&stored[i]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// noError adapts a function for ownPage.
func noError[Stored, Row any](row func(*Stored) Row) func(*Stored) (Row, error) {
	return func(s *Stored) (Row, error) { return row(s), nil }
}

func (r reader) UserRecord(ctx context.Context, id string) (learning.User, error) {
	var row struct {
		Name      string    `db:"name"`
		Email     string    `db:"email"`
		ImageURL  string    `db:"image_url"`
		CreatedAt timestamp `db:"created_at"`
		ChangedAt timestamp `db:"changed_at"`
	}
	err := r.q.Get(ctx, "read the record of a user", &row,
		`SELECT name, email, image_url, created_at, changed_at FROM users WHERE id = ? AND deleted_at IS NULL`, key(id))
	if err != nil {
		return learning.User{}, err
	}
	return learning.User{ID: id, Name: row.Name, Email: row.Email, ImageURL: row.ImageURL,
		CreatedAt: row.CreatedAt.Time(), ChangedAt: row.ChangedAt.Time()}, nil
}

// OwnPurchases lists a page of the purchases of a user, by id.
func (r reader) OwnPurchases(ctx context.Context, userID string, page learning.Page) ([]learning.Purchase, error) {
	o := own{
		action: "list a user's purchases",
		query:  selectPurchases + r.engine().ForceIndex("purchases_by_user"),
		owner:  "user_id",
		by:     []string{"id"},
		after:  byID,
	}
	return ownPage(ctx, r, o, userID, page, noError((*purchaseRow).purchase))
}

func (r reader) OwnRefunds(ctx context.Context, userID string, page learning.Page) ([]learning.Refund, error) {
	o := own{
		action: "list the refunds of a user's purchases",
		query: `
		SELECT r.id, r.purchase_id, r.payment_id, r.provider_id, r.amount, r.currency, r.status, r.ended_access, r.kept_access, r.created_by, r.created_at, r.updated_at, r.reason
		FROM purchases p JOIN refunds r ON r.purchase_id = p.id`,
		owner: "p.user_id",
		by:    []string{"p.id", "r.id"},
		after: byIDs,
	}
	return ownPage(ctx, r, o, userID, page, noError((*refundRow).refund))
}

// OwnEnrollments lists a page of the enrolments of a user, by course.
func (r reader) OwnEnrollments(ctx context.Context, userID string, page learning.Page) ([]learning.Enrollment, error) {
	type row struct {
		CourseID   string    `db:"course_id"`
		PurchaseID string    `db:"purchase_id"`
		Reason     string    `db:"reason"`
		CreatedAt  timestamp `db:"created_at"`
	}
	o := own{
		action: "list a user's enrolments",
		query:  `SELECT course_id, purchase_id, COALESCE(reason, '') AS reason, created_at FROM enrollments`,
		owner:  "user_id",
		by:     []string{"course_id"},
		after:  byID,
	}
	return ownPage(ctx, r, o, userID, page, noError(func(s *row) learning.Enrollment {
		return learning.Enrollment{UserID: userID, CourseID: s.CourseID, PurchaseID: s.PurchaseID, Reason: s.Reason, CreatedAt: s.CreatedAt.Time()}
	}))
}

// OwnPastEnrollments lists a page of the enrolments of a user that ended, the oldest first.
func (r reader) OwnPastEnrollments(ctx context.Context, userID string, page learning.Page) ([]learning.PastEnrollment, error) {
	o := own{
		action: "list a user's past enrolments",
		query:  selectPastEnrollments,
		owner:  "user_id",
		by:     []string{"created_at", "id"},
		after:  byTime,
	}
	return ownPage(ctx, r, o, userID, page, noError((*pastEnrollmentRow).pastEnrollment))
}

// OwnCompletedLectures lists a page of the lectures that a user has completed, by course and
// lecture.
func (r reader) OwnCompletedLectures(ctx context.Context, userID string, page learning.Page) ([]learning.LectureCompletion, error) {
	type row struct {
		CourseID  string    `db:"course_id"`
		LectureID string    `db:"lecture_id"`
		At        timestamp `db:"completed_at"`
	}
	o := own{
		action: "list all lectures that a user has completed",
		query:  `SELECT course_id, lecture_id, completed_at FROM completed_lectures`,
		owner:  "user_id",
		by:     []string{"course_id", "lecture_id"},
		after:  byIDs,
	}
	return ownPage(ctx, r, o, userID, page, noError(func(s *row) learning.LectureCompletion {
		return learning.LectureCompletion{CourseID: s.CourseID, CompletedLecture: learning.CompletedLecture{LectureID: s.LectureID, At: s.At.Time()}}
	}))
}

// OwnCompletedCourses lists a page of the courses that a user has completed, by course.
func (r reader) OwnCompletedCourses(ctx context.Context, userID string, page learning.Page) ([]learning.CourseCompletion, error) {
	type row struct {
		CourseID string    `db:"course_id"`
		At       timestamp `db:"completed_at"`
	}
	o := own{
		action: "list the courses that a user has completed",
		query:  `SELECT course_id, completed_at FROM course_completions`,
		owner:  "user_id",
		by:     []string{"course_id"},
		after:  byID,
	}
	return ownPage(ctx, r, o, userID, page, noError(func(s *row) learning.CourseCompletion {
		return learning.CourseCompletion{CourseID: s.CourseID, At: s.At.Time()}
	}))
}

// OwnRatings lists a page of the ratings of a user, by course.
func (r reader) OwnRatings(ctx context.Context, userID string, page learning.Page) ([]learning.Rating, error) {
	type row struct {
		CourseID  string    `db:"course_id"`
		Stars     int       `db:"stars"`
		CreatedAt timestamp `db:"created_at"`
		UpdatedAt timestamp `db:"updated_at"`
	}
	o := own{
		action: "list a user's ratings",
		query:  `SELECT course_id, stars, created_at, updated_at FROM ratings`,
		owner:  "user_id",
		by:     []string{"course_id"},
		after:  byID,
	}
	return ownPage(ctx, r, o, userID, page, noError(func(s *row) learning.Rating {
		return learning.Rating{UserID: userID, CourseID: s.CourseID, Stars: s.Stars, CreatedAt: s.CreatedAt.Time(), UpdatedAt: s.UpdatedAt.Time()}
	}))
}

func (r reader) OwnTimeEntries(ctx context.Context, userID string, page learning.Page) ([]learning.TimeEntry, error) {
	type row struct {
		Day       timestamp             `db:"day"`
		Page      string                `db:"page"`
		Path      string                `db:"path"`
		CourseID  string                `db:"course_id"`
		ChapterID string                `db:"chapter_id"`
		LastVisit timestamp             `db:"last_visit"`
		Time      learning.Milliseconds `db:"milliseconds"`
		Visits    int                   `db:"visits"`
	}
	o := own{
		action: "list a user's time entries",
		query:  `SELECT day, page, path, course_id, chapter_id, last_visit, milliseconds, visits FROM time_entries`,
		owner:  "user_id",
		by:     []string{"place", "day"},
		after: func(p learning.Position) []any {
			return []any{placeKey(learning.TimeEntry{Page: p.ID, Path: p.ID2}), timestamp(p.At)}
		},
	}
	return ownPage(ctx, r, o, userID, page, noError(func(s *row) learning.TimeEntry {
		return learning.TimeEntry{UserID: userID, Day: s.Day.Time(), Page: s.Page, Path: s.Path, LastVisit: s.LastVisit.Time(),
			CourseID: s.CourseID, ChapterID: s.ChapterID, Spent: learning.Spent{Time: s.Time, Visits: s.Visits}}
	}))
}

// OwnQuizResults lists a page of the quiz results of a user, the oldest first.
func (r reader) OwnQuizResults(ctx context.Context, userID string, page learning.Page) ([]learning.QuizResult, error) {
	type row struct {
		CourseID  string `db:"course_id"`
		ChapterID string `db:"chapter_id"`
		quizResultRow
	}
	o := own{
		action: "list a user's attempts at all quizzes",
		query: `
		SELECT course_id, chapter_id, id, version, score, total, percentage, mastery, created_at, answers, recommendations FROM quiz_results`,
		owner: "user_id",
		by:    []string{"created_at", "id"},
		after: byTime,
	}
	return ownPage(ctx, r, o, userID, page, func(s *row) (learning.QuizResult, error) { return s.result(userID, s.CourseID, s.ChapterID) })
}

// OwnCertificates lists a page of the certificates of a user, by course.
func (r reader) OwnCertificates(ctx context.Context, userID string, page learning.Page) ([]learning.Certificate, error) {
	o := own{
		action: "list a user's certificates by course",
		query:  selectCertificate,
		owner:  "user_id",
		by:     []string{"course_id"},
		after:  byID,
	}
	return ownPage(ctx, r, o, userID, page, noError((*certificateRow).certificate))
}

// OwnMemberships lists a page of the memberships of a user, by group.
func (r reader) OwnMemberships(ctx context.Context, userID string, page learning.Page) ([]learning.Membership, error) {
	type row struct {
		GroupID   string    `db:"group_id"`
		CreatedAt timestamp `db:"created_at"`
	}
	o := own{
		action: "list a user's memberships",
		query:  `SELECT group_id, created_at FROM memberships`,
		owner:  "user_id",
		by:     []string{"group_id"},
		after:  byID,
	}
	return ownPage(ctx, r, o, userID, page, noError(func(s *row) learning.Membership {
		return learning.Membership{UserID: userID, GroupID: s.GroupID, CreatedAt: s.CreatedAt.Time()}
	}))
}

// OwnCourses lists a page of the courses of an educator, the oldest first.
func (r reader) OwnCourses(ctx context.Context, userID string, page learning.Page) ([]learning.Course, error) {
	o := own{
		action: "list the courses that a user teaches",
		query:  selectCourses,
		owner:  "c.educator_id",
		by:     []string{"c.created_at", "c.id"},
		after:  byTime,
	}
	return ownPage(ctx, r, o, userID, page, noError((*courseRow).course))
}
