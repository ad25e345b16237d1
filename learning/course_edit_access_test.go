package learning_test

import (
	"errors"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// A course is unpublished: it cannot be found or bought, and its students keep everything.
func TestEditCourse_UnpublishedKeepsItsStudents(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		r, p := &roomtest.Receiver{}, &roomtest.Renderer{}
		w := roomtest.New(t, database, r.Option(), p.Option(),
			learningtest.WithPlatform(learning.Without("WithAI")))
		course := w.Course(t, "go", 499_00)
		w.Quiz(t, course, 1, 2)
		ada, bob := w.Person(t, "ada", core.Student), w.Person(t, "bob", core.Student)
		w.Buy(t, ada, course)
		open := w.Order(t, bob, course)
		changes, no := w.Platform.Catalog.CatalogueChanges(), false
		w.Edit(t, course, catalog.CourseEdit{Published: &no})

		if len(w.List(t)) != 0 || w.Platform.Catalog.CatalogueChanges() == changes {
			t.Error("the course is listed")
		}
		if _, err := w.Platform.Catalog.PublishedCourse(ctx(), course); !errors.Is(err,
			catalog.ErrCourseNotFound) {
			t.Errorf("show an unpublished course: %v", err)
		}
		if _, err := w.Platform.Sales.OpenOrder(ctx(), bob,
			sale.OrderRequest{CourseID: course}); !errors.Is(err, catalog.ErrCourseNotFound) {
			t.Errorf("buy an unpublished course: %v", err)
		}
		payment := w.Pay(t, open.OrderID)
		if err := w.Platform.Sales.VerifyPayment(ctx(), bob,
			w.Proof(open.OrderID, payment.ID)); err !=
			nil {
			t.Errorf("pay an order that was open before: %v", err)
		}
		for _, who := range []learning.Actor{ada, bob} {
			if list, err := roomtest.PageRows(w.Platform.Study.EnrolledCourses(ctx(), who,
				roomtest.WholeList)); err !=
				nil || len(list) != 1 {
				t.Errorf("%s has %d courses (%v)", who.UserID, len(list), err)
			}
			if c, err := w.Platform.Study.EnrolledCourse(ctx(), who, course); err != nil ||
				c.Content[0].Lectures[0].URL == "" {
				t.Errorf("the content is %v (%v)", c.Content, err)
			}
			w.Takes(t, who, course, []int{2})
			w.Learns(t, who, course, true, "lecture")
			w.Rates(t, who, course, 5)
			w.Generated(t, who, course)
		}
		w.WantSold(t, course, 2, 2, 0)
		yes := true
		w.Edit(t, course, catalog.CourseEdit{Published: &yes})
		if c, err := w.Platform.Catalog.PublishedCourse(ctx(), course); err != nil ||
			c.Students != 2 ||
			c.Version != 3 {
			t.Errorf("the published course is %+v (%v)", c, err)
		}
	})
}

// The results of a removed quiz stay in every list, and a chapter that comes back gets a quiz of a
// later version.
func TestEditCourse_ResultsOfARemovedQuizStay(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database)
		ada := w.Enrolls(t, "ada", course)
		old := w.Rewrites(t, course)
		given := make([]int, len(old.Questions))
		result := w.Takes(t, ada, course, given)
		calls := len(w.Sandbox.AI().Calls())

		w.Revise(t, course, roomtest.Chapter("another", "lecture"))
		if _, err := w.Platform.Tutor.Quiz(ctx(), ada, course, roomtest.TheChapter,
			nil); !errors.Is(err,
			assess.ErrChapterNotFound) {
			t.Errorf("the quiz of a removed chapter: %v", err)
		}
		_, err := w.Platform.Assess.SubmitQuiz(ctx(), ada,
			assess.QuizAnswers{CourseID: course, ChapterID: roomtest.TheChapter, Answers: given})
		if !errors.Is(err, assess.ErrQuizNotFound) {
			t.Errorf("submit to a removed quiz: %v", err)
		}
		if n := len(w.Sandbox.AI().Calls()); n != calls {
			t.Errorf("%d calls of the AI for a removed chapter", n-calls)
		}
		if got := w.OnlyResult(t, ada, course); got.ID != result.ID {
			t.Errorf("the result is %+v", got)
		}
		if marks, err := roomtest.PageRows(w.Platform.Assess.QuizMarks(ctx(), ada,
			roomtest.WholeList)); err != nil ||
			len(marks) != 1 || marks[0].ChapterTitle == "" {
			t.Errorf("the marks are %+v (%v)", marks, err)
		}
		if insights, err := w.Platform.Assess.QuizInsights(ctx(), roomtest.Teacher); err != nil ||
			len(insights) != 1 || insights[0].Attempts != 1 {
			t.Errorf("the insights are %+v (%v)", insights, err)
		}

		w.Revise(t, course, roomtest.Chapter(roomtest.TheChapter, "lecture"))
		again, err := w.Platform.Tutor.Quiz(ctx(), ada, course, roomtest.TheChapter, nil)
		if err != nil || again.Version <= old.Version {
			t.Errorf("the quiz has version %d after %d (%v)", again.Version, old.Version, err)
		}
		_, err = w.Platform.Assess.SubmitQuiz(ctx(), ada,
			assess.QuizAnswers{CourseID: course, ChapterID: roomtest.TheChapter, Answers: given,
				Version: &old.Version})
		if !errors.Is(err, assess.ErrQuizChanged) {
			t.Errorf("answers to the removed quiz: %v", err)
		}
	})
}

// What a student has not completed is removed, so that the student has completed the course. The
// next call for the course writes the event.
func TestEditCourse_RemovedLecturesCompleteTheCourse(t *testing.T) {
	r, p := &roomtest.Receiver{}, &roomtest.Renderer{}
	w := roomtest.New(t, roomtest.SQLite(t), r.Option(), p.Option())
	course := w.Publish(t, "course", roomtest.Chapter("1", "a", "b"))
	ada := w.Enrolls(t, "ada", course)
	w.Learns(t, ada, course, false, "a")
	w.Revise(t, course, roomtest.Chapter("1", "a"))
	w.WantProgress(t, ada, course, true, "a")
	w.WantChecked(t, ada, course, true, false)
	w.Generated(t, ada, course)
	w.Learns(t, ada, course, true, "a")
	w.WantEvents(t, map[core.EventType]int{catalog.EventCoursePublished: 1,
		core.EventNotificationCreated: 1, // of the certificate
		study.EventLectureCompleted:   1,
		catalog.EventCourseUpdated:    1, purchase.EventCompleted: 1,
		study.EventEnrollmentCreated: 1, study.EventCourseCompleted: 1,
		certify.EventCertificateIssued: 1})
}

func TestEditCourse_Events(t *testing.T) {
	r := &roomtest.Receiver{}
	w := roomtest.New(t, roomtest.SQLite(t), r.Option())
	course := w.Course(t, "go", 0)
	yes := true
	no := false
	title := "Another"
	want := map[core.EventType]int{catalog.EventCoursePublished: 1}
	for _, step := range []struct {
		edit catalog.CourseEdit
		want core.EventType // "" for none
	}{
		{catalog.CourseEdit{Published: &yes}, ""}, // no change
		{catalog.CourseEdit{Title: &title}, catalog.EventCourseUpdated},
		{catalog.CourseEdit{Title: &title}, ""},
		{catalog.CourseEdit{Published: &no}, catalog.EventCourseUnpublished},
		{catalog.CourseEdit{Description: &title}, ""}, // of a draft
		{catalog.CourseEdit{Published: &yes, Content: []catalog.Chapter{roomtest.Chapter("1",
			"a")}},
			catalog.EventCoursePublished},
		{catalog.CourseEdit{Content: []catalog.Chapter{roomtest.Chapter("1", "b")}},
			catalog.EventCourseUpdated},
	} {
		w.Edit(t, course, step.edit)
		if step.want != "" {
			want[step.want]++
		}
		w.WantEvents(t, want)
	}
	if c, err := w.Store.Course(ctx(), course); err != nil || c.Version != 6 {
		t.Errorf("version %d (%v)", c.Version, err)
	}
	for _, d := range w.Written(t) {
		if d.Type != catalog.EventCourseUnpublished {
			continue
		}
		if d.Data.CourseTitle != title || d.Data.CourseID != course ||
			d.Data.EducatorID != roomtest.Teacher.UserID {
			t.Errorf("the data is %+v", d.Data)
		}
	}
}
