package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

type submissionRow struct {
	ID          string                  `db:"id"`
	UserID      string                  `db:"user_id"`
	CourseID    string                  `db:"course_id"`
	EducatorID  string                  `db:"educator_id"`
	LectureID   string                  `db:"lecture_id"`
	Number      int                     `db:"number"`
	Status      assess.SubmissionStatus `db:"status"`
	Version     int64                   `db:"version"`
	IsLate      bool                    `db:"is_late"`
	SavedAt     timestamp               `db:"saved_at"`
	SubmittedAt timestamp               `db:"submitted_at"`
	GradedAt    timestamp               `db:"graded_at"`
	GradedBy    *string                 `db:"graded_by"`
	Points      []byte                  `db:"points"`
	Rubric      []byte                  `db:"rubric"`
	Text        string                  `db:"body"`
	Feedback    string                  `db:"feedback"`

	Name      *string   `db:"name"` // nil if there is no user
	ImageURL  *string   `db:"image_url"`
	DeletedAt timestamp `db:"deleted_at"`
}

const submissionColumns = ` s.id, s.user_id, s.course_id, s.educator_id, s.lecture_id, s.number,
		s.status, s.version, s.is_late, s.saved_at, s.submitted_at, s.graded_at, s.graded_by, s.points,
		u.name, u.image_url, u.deleted_at`

const selectSubmissions = `SELECT` + submissionColumns + `, s.rubric, s.body, s.feedback
	FROM {submissions} s LEFT JOIN {users} u ON u.id = s.user_id`

// submission returns the submission of a row, or an error if its JSON is damaged.
func (r *submissionRow) submission() (assess.AssignmentSubmission, error) {
	s := assess.AssignmentSubmission{
		ID:          r.ID,
		Student:     person(r.UserID, r.Name, r.ImageURL, r.DeletedAt),
		CourseID:    r.CourseID,
		EducatorID:  r.EducatorID,
		LectureID:   r.LectureID,
		Number:      r.Number,
		Status:      r.Status,
		Version:     r.Version,
		Text:        r.Text,
		SavedAt:     r.SavedAt.Time(),
		SubmittedAt: r.SubmittedAt.Time(),
		IsLate:      r.IsLate,
		Feedback:    r.Feedback,
		GradedAt:    r.GradedAt.Time(),
	}
	if r.GradedBy != nil {
		s.GradedBy = *r.GradedBy
	}
	if err := json.Unmarshal(r.Points, &s.Points); err != nil {
		return s, fmt.Errorf("parse the points of a submission: %w", err)
	}
	if len(r.Rubric) == 0 { // a list does not read it
		return s, nil
	}
	var err error
	s.Rubric, err = parseRubric(r.Rubric)
	return s, err
}

// submissionsFrom lists the submissions that a statement selects.
func (r reader) submissionsFrom(
	ctx context.Context, action, query string, args ...any,
) ([]assess.AssignmentSubmission, error) {
	var rows []submissionRow
	if err := r.q.List(ctx, action, &rows, query, args...); err != nil {
		return nil, err
	}
	list := make([]assess.AssignmentSubmission, len(rows))
	for i := range rows {
		var err error
		if list[i], err = rows[i].submission(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (r reader) Submissions(
	ctx context.Context, userID, courseID, lectureID string,
) ([]assess.AssignmentSubmission, error) {
	return r.submissionsFrom(ctx, "list the submissions of a student", selectSubmissions+`
		WHERE s.user_id = ? AND s.course_id = ? AND s.lecture_id = ? ORDER BY s.number`,
		key(userID), key(courseID), key(lectureID))
}

// LatestSubmissions reads those of idBatchSize courses at a time. A subquery for the latest number
// of each lecture makes MySQL read the whole table.
func (r reader) LatestSubmissions(
	ctx context.Context, userID string, courseIDs []string,
) (latest []assess.AssignmentSubmission, err error) {
	for chunk := range slices.Chunk(courseIDs, idBatchSize) {
		list, err := r.submissionsFrom(ctx, "list the submissions of a student",
			`SELECT`+submissionColumns+`, s.rubric
			FROM {submissions} s LEFT JOIN {users} u ON u.id = s.user_id
			WHERE s.user_id = ? AND s.course_id IN (`+placeholders(idBatchSize)+`)
				AND s.submitted_at IS NOT NULL
			ORDER BY s.course_id, s.lecture_id, s.number DESC`,
			append([]any{key(userID)}, batchArgs(chunk)...)...)
		if err != nil {
			return nil, err
		}
		latest = append(latest, slices.CompactFunc(list, func(a, b assess.AssignmentSubmission) bool {
			return a.CourseID == b.CourseID && a.LectureID == b.LectureID
		})...)
	}
	return latest, nil
}

func (r reader) Submission(ctx context.Context, id string) (assess.AssignmentSubmission, error) {
	var row submissionRow
	err := r.q.Get(ctx, "read a submission", &row, selectSubmissions+` WHERE s.id = ?`, key(id))
	if err != nil {
		return assess.AssignmentSubmission{}, err
	}
	return row.submission()
}

// submissionOrder is the order of SubmissionsIn.
var submissionOrder = order{columns: []string{"s.submitted_at", "s.id"}}

func (r reader) SubmissionsIn(
	ctx context.Context, educatorID string, q assess.SubmissionQuery,
	page core.PageRequest,
) ([]assess.AssignmentSubmission, error) {
	var f filter
	index, indexByStatus := "submissions_of_course", "submissions_by_status"
	if q.CourseID != "" {
		f.add(`s.course_id = ?`, key(q.CourseID))
	} else {
		index, indexByStatus = "submissions_of_educator", "submissions_of_educator_by_status"
		f.add(`s.educator_id = ?`, key(educatorID))
	}
	if q.Status != "" {
		index = indexByStatus
		f.add(`s.status = ?`, string(q.Status))
	}
	f.add(`s.submitted_at IS NOT NULL`)
	tail, limit := r.engine().addPage(&f, submissionOrder, page)
	return r.submissionsFrom(ctx, "list submissions", `SELECT`+submissionColumns+`
		FROM {submissions} s`+r.engine().ForceIndex(index)+`
			LEFT JOIN {users} u ON u.id = s.user_id`+f.where()+tail, append(f.args, limit)...)
}

func (r reader) WaitingSubmissionsOf(
	ctx context.Context, userID string,
) ([]assess.AssignmentSubmission, error) {
	return r.submissionsFrom(ctx, "list the submissions of a user that wait",
		`SELECT`+submissionColumns+`
		FROM {submissions} s LEFT JOIN {users} u ON u.id = s.user_id
		WHERE s.user_id = ? AND s.status = 'submitted'
		ORDER BY s.course_id, s.lecture_id`, key(userID))
}

// SubmissionFiles reads the files of idBatchSize submissions at a time.
func (r reader) SubmissionFiles(
	ctx context.Context, submissionIDs []string,
) (list []assess.SubmittedFile, err error) {
	for chunk := range slices.Chunk(submissionIDs, idBatchSize) {
		var rows []struct {
			fileRow
			SubmissionID string `db:"submission_id"`
			IsFeedback   bool   `db:"is_feedback"`
		}
		err := r.q.List(ctx, "list the files of submissions", &rows, `
			SELECT x.submission_id, x.is_feedback,`+fileColumns+`
			FROM {submission_files} x JOIN {files} f ON f.id = x.file_id
			WHERE x.submission_id IN (`+placeholders(idBatchSize)+`)
			ORDER BY x.submission_id, x.is_feedback, x.position`, batchArgs(chunk)...)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			list = append(list, assess.SubmittedFile{File: rows[i].file(),
				SubmissionID: rows[i].SubmissionID, IsFeedback: rows[i].IsFeedback})
		}
	}
	return list, nil
}

func (r reader) FilesOfSubmissionsOf(
	ctx context.Context, userID string,
) ([]assess.SubmittedFile, error) {
	var rows []struct {
		SubmissionID string `db:"submission_id"`
		FileID       string `db:"file_id"`
	}
	err := r.q.List(ctx, "list the files of the submissions of a user", &rows, `
		SELECT x.submission_id, x.file_id FROM {submissions} s
			JOIN {submission_files} x ON x.submission_id = s.id
		WHERE s.user_id = ?`, key(userID))
	list := make([]assess.SubmittedFile, len(rows))
	for i, row := range rows {
		list[i].SubmissionID, list[i].ID = row.SubmissionID, row.FileID
	}
	return list, err
}

func (r reader) GradedAssignments(
	ctx context.Context, userID, courseID string,
) (lectures []string, err error) {
	var rows []struct {
		LectureID string                  `db:"lecture_id"`
		Status    assess.SubmissionStatus `db:"status"`
	}
	err = r.q.List(ctx, "list the graded assignments of a user", &rows, `
		SELECT s.lecture_id, s.status FROM {submissions} s
		WHERE s.user_id = ? AND s.course_id = ? AND s.graded_at IS NOT NULL
		ORDER BY s.lecture_id, s.number`, key(userID), key(courseID))
	for i, row := range rows {
		isLatest := i == len(rows)-1 || rows[i+1].LectureID != row.LectureID
		if isLatest && row.Status == assess.SubmissionGraded {
			lectures = append(lectures, row.LectureID)
		}
	}
	return lectures, err
}

func (r reader) AssignmentCourses(
	ctx context.Context, userID, courseID string, now time.Time,
) (list []study.EnrolledContent, err error) {
	var f filter
	f.add(`e.user_id = ?`, key(userID))
	if courseID != "" {
		f.add(`e.course_id = ?`, key(courseID))
	}
	f.add(`(e.expires_at IS NULL OR e.expires_at > ?)`, timestamp(now))
	var rows []struct {
		enrolledRow
		Content []byte `db:"content"`
	}
	err = r.q.List(ctx, "list the courses with assignments of a student", &rows,
		selectEnrolled(`, x.content`, "")+`
		JOIN {course_contents} x ON x.course_id = e.course_id AND x.has_assignment = 1`+
			f.where()+` ORDER BY e.course_id`, f.args...)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		content, err := parseContent(rows[i].Content)
		if err != nil {
			return nil, err
		}
		list = append(list, study.EnrolledContent{EnrolledCourse: rows[i].enrolled(),
			Content: content})
	}
	return list, nil
}

func (r reader) HasAssignments(
	ctx context.Context, userID string, now time.Time,
) (bool, error) {
	return r.exists(ctx, "look for an assignment of a student", `
		SELECT 1 FROM {enrollments} e JOIN {course_contents} c ON c.course_id = e.course_id
		WHERE e.user_id = ? AND c.has_assignment = 1
			AND (e.expires_at IS NULL OR e.expires_at > ?) LIMIT 1`, key(userID), timestamp(now))
}

func (t *tx) InsertAssignmentSubmission(
	ctx context.Context, s assess.AssignmentSubmission,
) error {
	points, rubric, err := formatGrade(s)
	if err != nil {
		return err
	}
	return t.Insert(ctx, "insert a submission", `
		INSERT INTO {submissions} (id, user_id, course_id, educator_id, lecture_id, number, status,
			version, is_late, saved_at, submitted_at, graded_at, graded_by, points, rubric, body,
			feedback)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(s.ID), key(s.Student.ID), key(s.CourseID), key(s.EducatorID), key(s.LectureID), s.Number,
		string(s.Status), s.Version, s.IsLate, timestamp(s.SavedAt), optional(s.SubmittedAt),
		optional(s.GradedAt), optionalKey(s.GradedBy), points, rubric, s.Text, s.Feedback)
}

func (t *tx) UpdateSubmission(ctx context.Context, s assess.AssignmentSubmission) error {
	points, rubric, err := formatGrade(s)
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, "change a submission", `
		UPDATE {submissions} SET status = ?, version = ?, is_late = ?, saved_at = ?,
			submitted_at = ?, graded_at = ?, graded_by = ?, points = ?, rubric = ?, body = ?,
			feedback = ?
		WHERE id = ?`,
		string(s.Status), s.Version, s.IsLate, timestamp(s.SavedAt), optional(s.SubmittedAt),
		optional(s.GradedAt), optionalKey(s.GradedBy), points, rubric, s.Text, s.Feedback,
		key(s.ID))
	return err
}

// formatGrade returns the JSON of the points and of the rubric of a submission.
func formatGrade(s assess.AssignmentSubmission) (points, rubric string, err error) {
	list, err := json.Marshal(append([]int{}, s.Points...)) // [] and not null
	if err != nil {
		return "", "", fmt.Errorf("format the points of a submission: %w", err)
	}
	lines, err := json.Marshal(append([]criterionJSON{}, formatRubric(s.Rubric)...))
	if err != nil {
		return "", "", fmt.Errorf("format the rubric of a submission: %w", err)
	}
	return string(list), string(lines), nil
}

// parseRubric returns the rubric that formatGrade has written.
func parseRubric(text []byte) ([]catalog.Criterion, error) {
	var stored assignmentJSON
	if err := json.Unmarshal(text, &stored.Rubric); err != nil {
		return nil, fmt.Errorf("parse the rubric of a submission: %w", err)
	}
	return stored.assignment().Rubric, nil
}

// InsertSubmissionFiles does nothing if there are no ids.
func (t *tx) InsertSubmissionFiles(
	ctx context.Context, submissionID string, isFeedback bool, fileIDs []string,
) error {
	var args []any
	for i, id := range fileIDs {
		args = append(args, key(submissionID), isFeedback, i, key(id))
	}
	if len(args) == 0 {
		return nil
	}
	return t.InsertAll(ctx, "insert the files of a submission", `
		INSERT INTO {submission_files} (submission_id, is_feedback, position, file_id) VALUES `+
		strings.TrimPrefix(strings.Repeat(`, (?, ?, ?, ?)`, len(fileIDs)), `, `), args...)
}

func (t *tx) DeleteSubmissionFiles(
	ctx context.Context, submissionID string, isFeedback bool,
) error {
	_, err := t.Exec(ctx, "delete the files of a submission",
		`DELETE FROM {submission_files} WHERE submission_id = ? AND is_feedback = ?`,
		key(submissionID), isFeedback)
	return err
}

// DeleteFilesOfSubmissions deletes those of idBatchSize submissions at a time.
func (t *tx) DeleteFilesOfSubmissions(ctx context.Context, submissionIDs []string) error {
	for chunk := range slices.Chunk(submissionIDs, idBatchSize) {
		_, err := t.Exec(ctx, "delete the files of submissions", `
			DELETE FROM {submission_files} WHERE submission_id IN (`+placeholders(idBatchSize)+`)`,
			batchArgs(chunk)...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) DeleteUndecidedSubmissions(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, "delete the submissions of a user",
		`DELETE FROM {submissions} WHERE user_id = ? AND graded_at IS NULL`, key(userID))
	return err
}

func (t *tx) ForgetSubmissions(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, "forget the submissions of a user",
		`UPDATE {submissions} SET body = '', feedback = '' WHERE user_id = ?`, key(userID))
	return err
}
