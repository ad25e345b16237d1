package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// courseRow is a course with its educator, if that user exists.
type courseRow struct {
	ID          string       `db:"id"`
	Title       string       `db:"title"`
	Thumbnail   string       `db:"thumbnail"`
	Price       core.Money   `db:"price"`
	Discount    core.Percent `db:"discount"`
	Published   bool         `db:"is_published"`
	EducatorID  string       `db:"educator_id"`
	RatingSum   int          `db:"rating_sum"`
	RatingCount int          `db:"rating_count"`
	Lectures    int          `db:"lectures"`
	Minutes     int          `db:"minutes"`
	Students    int          `db:"students"`
	Version     int64        `db:"version"`
	CreatedAt   timestamp    `db:"created_at"`
	UpdatedAt   timestamp    `db:"updated_at"`
	Description string       `db:"description"`
	Quizzes     bool         `db:"certificate_quizzes"`
	Assignments bool         `db:"certificate_assignments"`
	Metadata    metadata     `db:"metadata"`
	Prices      prices       `db:"prices"`
	Terms       storedTerms  `db:"terms"`

	Name      *string   `db:"educator_name"` // nil if there is no user
	ImageURL  *string   `db:"educator_image"`
	DeletedAt timestamp `db:"educator_deleted_at"`
}

const courseColumns = ` c.id, c.title, c.thumbnail, c.price, c.discount, c.is_published,
		c.educator_id, c.rating_sum, c.rating_count, c.lectures, c.minutes, c.students, c.version,
		c.created_at, c.updated_at, c.description, c.certificate_quizzes, c.certificate_assignments,
		c.metadata, c.prices, c.terms,
		u.name AS educator_name, u.image_url AS educator_image, u.deleted_at AS educator_deleted_at`

const selectCourses = `SELECT` + courseColumns + `
	FROM {courses} c` + educatorOfCourse

// coursesFrom lists courses with their educators. from is the FROM clause, in which the table of
// the courses is c. The statement joins the educators to it, and clauses follow them. args are the
// arguments of both.
func (r reader) coursesFrom(
	ctx context.Context, action, from, clauses string, args ...any,
) ([]catalog.Course, error) {
	var rows []courseRow
	err := r.q.List(ctx, action, &rows,
		`SELECT`+courseColumns+from+educatorOfCourse+clauses, args...)
	if err != nil {
		return nil, err
	}
	courses := make([]catalog.Course, len(rows))
	for i := range rows {
		courses[i] = rows[i].course()
	}
	return courses, nil
}

// CatalogueRevision returns how many courses are published, and the sum of the revisions of all
// courses. The sum includes drafts and deleted courses, so that it never decreases. A sum over
// published courses could return to an old value when one course is withdrawn and another one
// published.
func (r reader) CatalogueRevision(ctx context.Context) (catalog.Revision, error) {
	var row struct {
		Courses int64 `db:"courses"`
		Changes int64 `db:"changes"`
	}
	err := r.q.Get(ctx, "read the catalogue's revision", &row, `
		SELECT COALESCE(SUM(is_published), 0) AS courses,
			COALESCE(SUM(revision), 0)
				+ (SELECT COALESCE(SUM(revision), 0) FROM {deleted_courses}) AS changes
		FROM {courses}`)
	return catalog.Revision(row), err
}

func (r reader) Course(ctx context.Context, id string) (catalog.Course, error) {
	var row courseRow
	err := r.q.Get(ctx, "read a course", &row, selectCourses+` WHERE c.id = ?`, key(id))
	if err != nil {
		return catalog.Course{}, err
	}
	return row.course(), nil
}

// course returns the course of the row. Its educator has a placeholder as the name if there is no
// such user, or if the user was deleted.
func (r *courseRow) course() catalog.Course {
	return catalog.Course{
		ID:          r.ID,
		Title:       r.Title,
		Description: r.Description,
		Thumbnail:   r.Thumbnail,
		Price:       r.Price,
		Discount:    r.Discount,
		Published:   r.Published,
		Educator:    person(r.EducatorID, r.Name, r.ImageURL, r.DeletedAt),
		Ratings:     catalog.Ratings{Sum: r.RatingSum, Count: r.RatingCount},
		Lectures:    r.Lectures,
		Minutes:     r.Minutes,
		Students:    r.Students,
		Terms: r.Terms.terms(catalog.CertificateTerms{Quizzes: r.Quizzes,
			Assignments: r.Assignments}),
		HasOpenings: r.Terms.HasOpenings,
		Metadata:    core.Metadata(r.Metadata),
		Prices:      r.Prices,
		Version:     r.Version,
		CreatedAt:   r.CreatedAt.Time(),
		UpdatedAt:   r.UpdatedAt.Time(),
	}
}

// CourseContent returns the chapters of a course in their order.
func (r reader) CourseContent(ctx context.Context, courseID string) ([]catalog.Chapter, error) {
	text, err := r.content(ctx, courseID)
	if err != nil {
		return nil, err
	}
	return parseContent(text)
}

// LectureIDs returns the ids of the lectures of a course in their order. It takes less than half
// the time of CourseContent, and runs for every completed lecture.
func (r reader) LectureIDs(ctx context.Context, courseID string) ([]string, error) {
	text, err := r.content(ctx, courseID)
	if err != nil {
		return nil, err
	}
	return parseLectureIDs(text)
}

// LectureKinds takes as long as LectureIDs.
func (r reader) LectureKinds(
	ctx context.Context, courseID string,
) (ids []string, kinds []catalog.LectureKind, err error) {
	text, err := r.content(ctx, courseID)
	if err != nil {
		return nil, nil, err
	}
	return parseLectures(text)
}

// content reads the content of a course as the text that formatContent returned.
func (r reader) content(ctx context.Context, courseID string) (text []byte, err error) {
	err = r.q.Get(ctx, "read a course's content", &text,
		`SELECT content FROM {course_contents} WHERE course_id = ?`, key(courseID))
	return text, err
}

// InsertCourse inserts a course with its content and, if it is published, the words by which a
// search finds it.
func (t *tx) InsertCourse(
	ctx context.Context, c catalog.Course, content []catalog.Chapter,
) error {
	text, err := formatContent(content)
	if err != nil {
		return err
	}

	// Insert the course, whose revision in the list begins with 1, and its content.
	err = t.Insert(ctx, "insert a course", `
		INSERT INTO {courses} (id, title, thumbnail, price, discount, is_published, educator_id,
			rating_sum, rating_count, lectures, minutes, students, revision, created_at, updated_at,
			description, certificate_quizzes, certificate_assignments, metadata, prices,
			terms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(c.ID), c.Title, c.Thumbnail, c.Price, c.Discount, c.Published, key(c.Educator.ID),
		c.Ratings.Sum, c.Ratings.Count,
		c.Lectures, c.Minutes, c.Students, timestamp(c.CreatedAt), timestamp(c.UpdatedAt),
		c.Description, c.Terms.Certificate.Quizzes, c.Terms.Certificate.Assignments,
		metadata(c.Metadata), prices(c.Prices), termsOf(c))
	if err != nil {
		return err
	}
	err = t.Insert(ctx, "insert a course's content",
		`INSERT INTO {course_contents} (course_id, has_assignment, content) VALUES (?, ?, ?)`,
		key(c.ID), study.HasAssignment(content), text)
	if err != nil {
		return err
	}

	// Insert the words by which a search finds it: its own, those of its metadata, and those of the
	// educator's name. A search finds no drafts, which have only those of the metadata.
	err = t.InsertWords(ctx, []core.RowWords{c.SearchWords(), c.SearchPairs()})
	if err != nil || !c.Published {
		return err
	}
	return t.InsertEducatorWords(ctx, []string{c.Educator.ID}, []string{c.ID})
}

// AddToStudentCount adds by, which may be negative. It does not change updated_at, because the
// course has the same content. It returns ErrNoRecord if there is no such course.
func (t *tx) AddToStudentCount(ctx context.Context, courseID string, by int) error {
	return t.MustUpdate(ctx, "count an enrolment", `
		UPDATE {courses} SET students = students + ?, revision = revision + 1
		WHERE id = ?`,
		by, key(courseID))
}

// MarkCoursesChanged makes the catalogue's revision change, and reports whether the educator has a
// course.
func (t *tx) MarkCoursesChanged(ctx context.Context, educatorID string) (bool, error) {
	return t.Update(ctx, "mark an educator's courses as changed",
		`UPDATE {courses} SET revision = revision + 1 WHERE educator_id = ?`, key(educatorID))
}

// MarkCourseChanged makes the catalogue's revision change. It returns ErrNoRecord if there is no
// such course.
func (t *tx) MarkCourseChanged(ctx context.Context, id string) error {
	return t.MustUpdate(ctx, "mark a course as changed",
		`UPDATE {courses} SET revision = revision + 1 WHERE id = ?`, key(id))
}

// AddToRatings adds the sum and the number of change, which may be negative. It does not change
// updated_at, because the course has the same content. It returns ErrNoRecord if there is no such
// course.
func (t *tx) AddToRatings(ctx context.Context, courseID string, change catalog.Ratings) error {
	return t.MustUpdate(ctx, "count a rating", `
		UPDATE {courses} SET rating_sum = rating_sum + ?, rating_count = rating_count + ?,
			revision = revision + 1
		WHERE id = ?`,
		change.Sum, change.Count, key(courseID))
}

// chapterJSON and lectureJSON are the stored form of content. They are separate from the
// types of package learning, so that renaming a field there does not lose stored data.
type chapterJSON struct {
	ID       string        `json:"id"`
	Order    int           `json:"order"`
	Title    string        `json:"title"`
	Lectures []lectureJSON `json:"lectures"`
	Opens    *openingJSON  `json:"opens,omitempty"`
}

type lectureJSON struct {
	ID          string  `json:"id"`
	Order       int     `json:"order"`
	Title       string  `json:"title"`
	Minutes     float64 `json:"minutes"`
	URL         string  `json:"url"`
	PreviewFree bool    `json:"preview_free"`

	Kind        string           `json:"kind,omitempty"`
	FileID      string           `json:"file_id,omitempty"`
	Captions    []captionJSON    `json:"captions,omitempty"`
	Attachments []attachmentJSON `json:"attachments,omitempty"`
	Assignment  *assignmentJSON  `json:"assignment,omitempty"`
}

type captionJSON struct {
	Language string `json:"language"`
	Label    string `json:"label"`
	FileID   string `json:"file_id"`
}

type attachmentJSON struct {
	Title  string `json:"title"`
	FileID string `json:"file_id"`
}

// formatLecture returns the stored form of a lecture, without its text.
func formatLecture(l catalog.Lecture) lectureJSON {
	stored := lectureJSON{ID: l.ID, Order: l.Order, Title: l.Title, Minutes: l.Minutes, URL: l.URL,
		PreviewFree: l.PreviewFree, Kind: string(l.Kind), FileID: l.FileID}
	for _, c := range l.Captions {
		stored.Captions = append(stored.Captions, captionJSON{
			Language: c.Language, Label: c.Label, FileID: c.FileID,
		})
	}
	for _, a := range l.Attachments {
		stored.Attachments = append(stored.Attachments, attachmentJSON{a.Title, a.FileID})
	}
	stored.Assignment = formatAssignment(l.Assignment)
	return stored
}

// lecture is the reverse of formatLecture.
func (stored lectureJSON) lecture() catalog.Lecture {
	l := catalog.Lecture{ID: stored.ID, Order: stored.Order, Title: stored.Title,
		Minutes: stored.Minutes, URL: stored.URL, PreviewFree: stored.PreviewFree,
		Kind: catalog.LectureKind(stored.Kind), FileID: stored.FileID}
	for _, c := range stored.Captions {
		l.Captions = append(l.Captions,
			catalog.Caption{Language: c.Language, Label: c.Label, FileID: c.FileID})
	}
	for _, a := range stored.Attachments {
		l.Attachments = append(l.Attachments,
			catalog.Attachment{Title: a.Title, FileID: a.FileID})
	}
	l.Assignment = stored.Assignment.assignment()
	return l
}

// formatContent returns the text that is stored for content.
func formatContent(content []catalog.Chapter) (string, error) {
	chapters := make([]chapterJSON, len(content))
	for i, ch := range content {
		chapters[i] = chapterJSON{
			ID:       ch.ID,
			Order:    ch.Order,
			Title:    ch.Title,
			Lectures: make([]lectureJSON, len(ch.Lectures)),
			Opens:    formatOpening(ch.Opens),
		}
		for j, l := range ch.Lectures {
			chapters[i].Lectures[j] = formatLecture(l)
		}
	}
	return formatJSON("a course's content", chapters)
}

// parseContent is the reverse of formatContent.
func parseContent(text []byte) ([]catalog.Chapter, error) {
	var chapters []chapterJSON
	if err := json.Unmarshal(text, &chapters); err != nil {
		return nil, fmt.Errorf("parse a course's content: %w", err)
	}
	content := make([]catalog.Chapter, len(chapters))
	for i, ch := range chapters {
		content[i] = catalog.Chapter{
			ID:       ch.ID,
			Order:    ch.Order,
			Title:    ch.Title,
			Lectures: make([]catalog.Lecture, len(ch.Lectures)),
			Opens:    ch.Opens.opening(),
		}
		for j, l := range ch.Lectures {
			content[i].Lectures[j] = l.lecture()
		}
	}
	return content, nil
}

// parseLectureIDs returns the ids of the lectures in a text of formatContent, in their order.
func parseLectureIDs(text []byte) ([]string, error) {
	ids, _, err := parseLectures(text)
	return ids, err
}

// parseLectures returns the ids and the kinds of the lectures in a text of formatContent, in their
// order.
func parseLectures(text []byte) (ids []string, kinds []catalog.LectureKind, err error) {
	var chapters []struct {
		Lectures []struct {
			ID   string              `json:"id"`
			Kind catalog.LectureKind `json:"kind"`
		} `json:"lectures"`
	}
	if err := json.Unmarshal(text, &chapters); err != nil {
		return nil, nil, fmt.Errorf("parse the lectures of a course: %w", err)
	}
	for _, ch := range chapters {
		for _, l := range ch.Lectures {
			ids, kinds = append(ids, l.ID), append(kinds, l.Kind)
		}
	}
	return ids, kinds, nil
}
