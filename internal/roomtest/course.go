package roomtest

import (
	"archive/zip"
	"bytes"
	compare "cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// WantInvariants checks what must hold of the rows of all nouns.
func (w *World) WantInvariants(t *testing.T) {
	t.Helper()
	for name, from := range invariants.Courses {
		if n := w.Count(t, from); n != 0 {
			t.Errorf("%d rows break %q", n, name)
		}
	}
	w.WantRightTotals(t)
}

// Revise replaces the content of a course, as its educator.
func (w *World) Revise(t *testing.T, courseID string, content ...catalog.Chapter) {
	t.Helper()
	w.Edit(t, courseID, catalog.CourseEdit{Content: content})
}

// Edit edits the present version of a course, as its educator, and returns the course.
func (w *World) Edit(t *testing.T, courseID string, e catalog.CourseEdit) catalog.Course {
	t.Helper()
	c, err := w.TryEdit(Teacher, courseID, e)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TryEdit edits the present version of a course.
func (w *World) TryEdit(actor core.Actor, courseID string,
	e catalog.CourseEdit) (catalog.Course, error) {
	now, err := w.Store.Course(ctx(), courseID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return catalog.Course{}, err
	}
	e.Version = now.Version
	c, err := w.Platform.Catalog.EditCourse(ctx(), actor, courseID, e)
	return c.Course, err
}

// WantTotals checks the totals of a course.
func (w *World) WantTotals(t *testing.T, courseID string, lectures, minutes int) {
	t.Helper()
	c, err := w.Store.Course(ctx(), courseID)
	if err != nil || c.Lectures != lectures || c.Minutes != minutes {
		t.Errorf("%d lectures of %d minutes, want %d of %d (%v)", c.Lectures, c.Minutes, lectures,
			minutes, err)
	}
}

// Exported returns the package of a course.
func (w *World) Exported(t *testing.T, actor core.Actor, courseID string) []byte {
	t.Helper()
	p, err := w.Platform.Exchange.ExportCourse(ctx(), actor, courseID)
	Must(t, err)
	var b bytes.Buffer
	Must(t, p.Write(ctx(), &b))
	return b.Bytes()
}

// Imported imports a package.
func (w *World) Imported(actor core.Actor, data []byte) (exchange.ImportedCourse, error) {
	return w.Platform.Exchange.ImportCourse(ctx(), actor, bytes.NewReader(data), int64(len(data)))
}

// PackageOf returns a zip of entries, in their order: a name and a content each.
func PackageOf(t *testing.T, entries ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		out, err := w.CreateHeader(&zip.FileHeader{Name: e[0]})
		if err == nil {
			_, err = io.WriteString(out, e[1])
		}
		Must(t, err)
	}
	Must(t, w.Close())
	return b.Bytes()
}

// PlainQuiz returns the quiz of a chapter with what a package has of it: the texts of options in
// place of their ids.
func (w *World) PlainQuiz(
	t *testing.T, actor core.Actor, courseID, chapterID string,
) assess.Quiz {
	t.Helper()
	q, err := w.Platform.Assess.EditableQuiz(ctx(), actor, courseID, chapterID)
	Must(t, err)
	for i := range q.Questions {
		question := &q.Questions[i]
		question.ID = ""
		texts := map[string]string{}
		for j, option := range question.Options {
			texts[option.ID] = option.Text
			question.Options[j].ID = ""
		}
		switch right := question.Solution.Answer.(type) {
		case string:
			question.Solution.Answer = texts[right]
		case []string:
			for j, id := range right {
				right[j] = compare.Or(texts[id], id)
			}
			slices.Sort(right)
		}
	}
	return assess.Quiz{Questions: q.Questions, Settings: q.Settings, ByHand: q.ByHand}
}

// AddQuiz stores a quiz of a chapter.
func (w *World) AddQuiz(t *testing.T, courseID string, ch catalog.Chapter) {
	t.Helper()
	Must(t, w.Store.InTx(ctx(), func(tx learning.Tx) error {
		return tx.InsertQuiz(ctx(), assess.Quiz{ID: ch.ID, CourseID: courseID,
			ChapterID: ch.ID, ChapterTitle: "Earlier title", Version: 7,
			CreatedAt: w.Clock.Now(), UpdatedAt: w.Clock.Now(),
			Questions: []assess.Question{assess.NewQuestion(0, "Why <&>?",
				[]string{"a", "b", "c", "d"}, 2, "So.")}})
	}))
}

// Studies enrols a user in a new course of so many lectures and completes the first of them.
func (w *World) Studies(t *testing.T, userID, courseID string, lectures, done int) {
	t.Helper()
	now := w.Clock.Now()
	c := catalog.Course{ID: courseID, Title: "Course " + courseID,
		Description: "About " + courseID, Published: true, Lectures: lectures,
		Educator: core.Person{ID: Teacher.UserID}, CreatedAt: now, UpdatedAt: now}
	chapter := catalog.Chapter{ID: TheChapter, Title: "Chapter"}
	for i := range lectures {
		chapter.Lectures = append(chapter.Lectures,
			catalog.Lecture{ID: fmt.Sprint("l", i), Title: fmt.Sprint("Lecture ", i),
				URL: "https://videos.example.org/" + courseID})
	}
	err := w.Store.InTx(ctx(), func(tx learning.Tx) error {
		if err := tx.InsertCourse(ctx(), c, []catalog.Chapter{chapter}); err != nil {
			return err
		}
		for i := range done {
			if err := tx.InsertCompletedLecture(ctx(), userID, courseID,
				study.CompletedLecture{LectureID: fmt.Sprint("l", i), At: now}); err != nil {
				return err
			}
		}
		return tx.InsertEnrollment(ctx(),
			study.Enrollment{UserID: userID, CourseID: courseID, PurchaseID: "p",
				CreatedAt: now})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// List returns the courses of the catalogue.
func (w *World) List(t *testing.T) []catalog.Course {
	t.Helper()
	list, err := PageRows(w.Platform.Catalog.Catalogue(ctx(), catalog.CourseQuery{}, WholeList))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Revision returns the revision of the catalogue.
func (w *World) Revision(t *testing.T) catalog.Revision {
	t.Helper()
	r, err := w.Platform.Catalog.CatalogueRevision(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// NewCourse returns a valid new course.
func NewCourse(id string) catalog.NewCourse {
	return catalog.NewCourse{ID: id, Title: "Go", Price: 499_00, Published: true,
		Content: []catalog.Chapter{{Title: "One", Lectures: []catalog.Lecture{
			{Title: "Open", Minutes: 1.5, URL: "https://example.com/open", PreviewFree: true},
			{Title: "Closed", Minutes: 2, URL: "https://example.com/closed"},
		}}}}
}

// Chapter returns a chapter whose lectures differ only by id.
func Chapter(id string, lectures ...string) catalog.Chapter {
	ch := catalog.Chapter{ID: id, Title: "Chapter " + id}
	for _, l := range lectures {
		ch.Lectures = append(ch.Lectures,
			catalog.Lecture{ID: l, Title: "Lecture " + l, Minutes: 10,
				URL: "https://videos.example.org/" + l})
	}
	return ch
}

// Publish publishes a free course with these chapters.
func (w *World) Publish(t *testing.T, id string, content ...catalog.Chapter) string {
	t.Helper()
	educator := w.Person(t, "educator", core.Educator)
	id, err := w.Platform.Catalog.AddCourse(ctx(), educator,
		catalog.NewCourse{ID: id, Title: "Course " + id, Published: true, Content: content},
		learningtest.Thumbnail(t))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Enrolls creates a user who is enrolled in a free course.
func (w *World) Enrolls(t *testing.T, userID, courseID string) core.Actor {
	t.Helper()
	who := w.Person(t, userID, core.Student)
	if _, err := w.Platform.Sales.OpenOrder(ctx(), who,
		sale.OrderRequest{CourseID: courseID}); err !=
		nil {
		t.Fatal(err)
	}
	return who
}
