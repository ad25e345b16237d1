package store

import (
	"context"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// TimeByPlace sums up the entries of a user by place, which is a page with its path. The groups are
// in the order of the primary key, so that the engine does not sort. MAX is used because all
// entries of one group have the same value, except that the last visit is the latest one, or the
// latest day if no visit is known.
func (r reader) TimeByPlace(
	ctx context.Context, userID string,
) (list []study.TimeEntry, err error) {
	e := study.TimeEntry{UserID: userID} // each row is scanned into it, and then copied
	var last timestamp
	dest := []any{&e.Page, &e.Path, &e.CourseID, &e.ChapterID, &last, &e.Time, &e.Visits}
	err = r.q.Each(ctx, "sum up time by place", dest, func() error {
		e.LastVisit = last.Time()
		list = append(list, e)
		return nil
	}, `
		SELECT MAX(page), MAX(path), MAX(course_id), MAX(chapter_id),
			MAX(COALESCE(last_visit, day)), SUM(milliseconds), SUM(visits)
		FROM {time_entries} WHERE user_id = ? GROUP BY place`,
		key(userID))
	return list, err
}

// TimeInCourse sums up the entries that name the course.
func (r reader) TimeInCourse(
	ctx context.Context, userID, courseID string,
) (spent core.Milliseconds, err error) {
	err = r.q.Get(ctx, "sum up the time in a course", &spent, `
		SELECT COALESCE(SUM(milliseconds), 0) FROM {time_entries}
		WHERE user_id = ? AND course_id = ?`, key(userID), key(courseID))
	return spent, err
}

// TimeByDay sums up the entries of each day and page from a day on.
func (r reader) TimeByDay(
	ctx context.Context, userID string, from time.Time,
) (list []study.TimeEntry, err error) {
	e := study.TimeEntry{UserID: userID} // as in TimeByPlace
	var day timestamp
	err = r.q.Each(ctx, "sum up time by day", []any{&day, &e.Page, &e.Time, &e.Visits},
		func() error {
			e.Day = day.Time()
			list = append(list, e)
			return nil
		}, `
		SELECT day, page, SUM(milliseconds), SUM(visits)
		FROM {time_entries}
		WHERE user_id = ? AND day >= ?
		GROUP BY day, page`,
		key(userID), timestamp(from))
	return list, err
}

// TimedCourses reads the courses that the entries of a user name. It reads the content of a course
// only if an entry is about one of its quizzes, which has the chapter as its chapter_id; otherwise
// the content is nil.
func (r reader) TimedCourses(ctx context.Context, userID string) ([]study.TimedCourse, error) {
	var rows []struct {
		ID         string `db:"id"`
		Title      string `db:"title"`
		Thumbnail  string `db:"thumbnail"`
		Published  bool   `db:"is_published"`
		EducatorID string `db:"educator_id"`
		Enrolled   bool   `db:"enrolled"`
		Content    []byte `db:"content"`
	}
	err := r.q.List(ctx, "read the courses of time entries", &rows, `
		SELECT c.id, c.title, c.thumbnail, c.is_published, c.educator_id,
			EXISTS (SELECT 1 FROM {enrollments} e
				WHERE e.user_id = ? AND e.course_id = c.id) AS enrolled,
			CASE WHEN EXISTS (SELECT 1 FROM {time_entries} q
					WHERE q.user_id = ? AND q.course_id = c.id AND q.chapter_id <> '')
				THEN (SELECT cc.content FROM {course_contents} cc WHERE cc.course_id = c.id)
				END AS content
		FROM (SELECT DISTINCT course_id FROM {time_entries} WHERE user_id = ? AND course_id <> '') t
			JOIN {courses} c ON c.id = t.course_id`,
		key(userID), key(userID), key(userID))
	if err != nil {
		return nil, err
	}

	// Parse the content of the courses that have one here.
	list := make([]study.TimedCourse, len(rows))
	for i, row := range rows {
		list[i] = study.TimedCourse{Enrolled: row.Enrolled,
			Course: catalog.Course{
				ID:        row.ID,
				Title:     row.Title,
				Thumbnail: row.Thumbnail,
				Published: row.Published,
				Educator:  core.Person{ID: row.EducatorID},
			}}
		if row.Content == nil {
			continue
		}
		if list[i].Content, err = parseContent(row.Content); err != nil {
			return nil, fmt.Errorf("read the courses of time entries: %w", err)
		}
	}
	return list, nil
}
