package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

var questionTests = []test{
	{"questions of a user are locked and ended by course, and replies of staff are counted",
		questionEnd},
	{"questions and reviews of an educator are listed, of all courses or one, answered or not",
		toAnswerLists},
}

func toAnswerLists(t *testing.T, f *fixture) {
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	for i, q := range []community.Post{question("a", "ada", "c", "e"), question("b", "ada", "c", "e"),
		question("d", "ada", "d", "e"), question("x", "ada", "x", "eve"),
		question("own", "e", "c", "")} {
		q.CreatedAt = at(i)
		f.add(q)
		of := community.Rating{UserID: q.ID, CourseID: q.CourseID, Stars: 3, CreatedAt: noon,
			UpdatedAt: noon}
		f.add(of)
		if q.EducatorID == "" {
			continue
		}
		f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.SetReview(ctx, of, community.Review{ID: q.ID, EducatorID: q.EducatorID,
				Text: "text", CreatedAt: q.CreatedAt})
		})
	}
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.AddToStaffReplies(ctx, "a", 1) })
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.AnswerReview(ctx, community.Review{ID: "a", Answer: "Thanks", AnsweredAt: noon})
	})

	for _, list := range []struct {
		courseID string
		answered *bool
		want     string
	}{
		{"", nil, "dba"}, {"", new(false), "db"}, {"", new(true), "a"},
		{"c", nil, "ba"}, {"c", new(false), "b"}, {"c", new(true), "a"},
		{"x", nil, ""}, {"none", new(false), ""},
	} {
		q := community.ToAnswer{CourseID: list.courseID, Answered: list.answered}
		ids := ""
		positions := paged(t, func(ctx context.Context, page core.PageRequest) ([]core.Position,
			error) {
			return f.QuestionPositions(ctx, "e", q, page)
		}, func(p core.Position) core.Position { return p })
		for _, p := range positions {
			ids += p.ID
		}
		equal(t, ids, nil, list.want)
		ids = ""
		reviews := paged(t, func(ctx context.Context, page core.PageRequest) ([]community.Review,
			error) {
			return f.TaughtReviews(ctx, "e", q, page)
		}, func(r community.Review) core.Position { return core.Position{At: r.CreatedAt, ID: r.ID} })
		for _, r := range reviews {
			ids += r.ID
		}
		equal(t, ids, nil, list.want)
	}
}

// question returns a post of an author in a course that asks its educator.
func question(id, authorID, courseID, educatorID string) community.Post {
	p := post(id)
	p.Author = core.Person{ID: authorID, Name: core.UnknownUser}
	p.CourseID, p.EducatorID = courseID, educatorID
	return p
}

func questionEnd(t *testing.T, f *fixture) {
	first, answered := question("a", "ada", "c", "e"), question("b", "ada", "c", "e")
	f.add(first, answered, question("c", "ada", "d", "e"), question("d", "ada", "own", ""),
		question("x", "eve", "c", "e"))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if err := tx.LockQuestions(ctx, "ada"); err != nil {
			return err
		}
		return tx.AddToStaffReplies(ctx, "b", 2)
	})
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.AddToStaffReplies(ctx, "b", -1) })
	answered.StaffReplies = 1
	f.keptPost("", answered)

	ids, err := f.QuestionCourses(t.Context(), "ada")
	equal(t, ids, err, []string{"c", "d"})
	for _, step := range []struct {
		isAnswered bool
		want       int
	}{{false, 1}, {false, 0}, {true, 1}} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			n, err := tx.EndQuestions(ctx, "ada", "c", step.isAnswered)
			equal(t, n, err, step.want)
			return err
		})
	}
	first.EducatorID = ""
	f.keptPost("", first)
	f.keptPost("", question("x", "eve", "c", "e"))
	ids, err = f.QuestionCourses(t.Context(), "ada")
	equal(t, ids, err, []string{"d"})
}
