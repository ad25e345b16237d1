package store

import (
	"context"

	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// toAnswer returns the condition of what q selects of an educator, in a table with an alias, and
// the index that has it.
func toAnswer(
	educatorID string, q community.ToAnswer, table, ofEducator, ofCourse string,
) (f filter, index string) {
	index = ofEducator
	f.add(table+`.educator_id = ?`, key(educatorID))
	if q.CourseID != "" {
		index = ofCourse
		f.add(table+`.course_id = ?`, key(q.CourseID))
	}
	if q.Answered != nil {
		index += "_by_answer"
		f.add(table+`.is_answered = ?`, *q.Answered)
	}
	return f, index
}

// QuestionPositions reads an index alone.
func (r reader) QuestionPositions(
	ctx context.Context, educatorID string, q community.ToAnswer, page core.PageRequest,
) ([]core.Position, error) {
	f, index := toAnswer(educatorID, q, "p", "questions_of_educator", "questions_of_course")
	tail, limit := r.engine().addPage(&f, byCreation, page)
	var rows []struct {
		CreatedAt timestamp `db:"created_at"`
		ID        string    `db:"id"`
	}
	err := r.q.List(ctx, "list the positions of questions", &rows,
		`SELECT p.created_at, p.id FROM {posts} p`+r.engine().ForceIndex(index)+f.where()+tail,
		append(f.args, limit)...)
	list := make([]core.Position, len(rows))
	for i, row := range rows {
		list[i] = core.Position{At: row.CreatedAt.Time(), ID: row.ID}
	}
	return list, err
}

func (r reader) QuestionCourses(
	ctx context.Context, authorID string,
) (courseIDs []string, err error) {
	err = r.q.List(ctx, "list the courses with questions of a user", &courseIDs, `
		SELECT DISTINCT course_id FROM {posts} WHERE author_id = ? AND educator_id <> ''
		ORDER BY course_id`, key(authorID))
	return courseIDs, err
}

// LockQuestions is an UPDATE that changes nothing, which locks the rows on every engine.
func (t *tx) LockQuestions(ctx context.Context, authorID string) error {
	_, err := t.Exec(ctx, "lock the questions of a user",
		`UPDATE {posts} SET upvotes = upvotes WHERE author_id = ? AND educator_id <> ''`,
		key(authorID))
	return err
}

func (t *tx) EndQuestions(
	ctx context.Context, authorID, courseID string, isAnswered bool,
) (int, error) {
	n, err := t.Exec(ctx, "end the questions of a user", `
		UPDATE {posts} SET educator_id = ''
		WHERE author_id = ? AND course_id = ? AND educator_id <> '' AND is_answered = ?`,
		key(authorID), key(courseID), isAnswered)
	return int(n), err
}

// AddToStaffReplies adds by, which may be negative.
func (t *tx) AddToStaffReplies(ctx context.Context, postID string, by int) error {
	_, err := t.Exec(ctx, "count a reply of staff",
		`UPDATE {posts} SET staff_replies = staff_replies + ? WHERE id = ?`, by, key(postID))
	return err
}
