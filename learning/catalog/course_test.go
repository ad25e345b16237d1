package catalog_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func TestCatalogue_ChangesAfterACourseIsCommitted(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		store := &roomtest.FaultyStore{}
		w := roomtest.New(t, database, roomtest.WithFaultyStore(store))
		educator := w.Person(t, "educator", core.Educator)
		before, revision := w.Platform.Catalog.CatalogueChanges(), w.Revision(t)
		store.BeforeCommit = func() {
			if w.Platform.Catalog.CatalogueChanges() != before || w.Revision(t) != revision ||
				len(w.List(t)) != 0 {
				t.Error("the catalogue changed before the commit")
			}
		}
		store.FailOn("COMMIT")
		if _, err := w.Platform.Catalog.AddCourse(ctx(), educator, roomtest.NewCourse("refused"),
			learningtest.Thumbnail(t)); !errors.Is(err, roomtest.ErrInjected) {
			t.Fatal(err)
		}
		if w.Platform.Catalog.CatalogueChanges() != before || w.Revision(t) != revision {
			t.Error("the catalogue changed without a commit")
		}
		if _, err := w.Platform.Catalog.AddCourse(ctx(), educator, roomtest.NewCourse("taken"),
			learningtest.Thumbnail(t)); err != nil {
			t.Fatal(err)
		}
		if w.Platform.Catalog.CatalogueChanges() != before+1 || w.Revision(t) == revision ||
			len(w.List(t)) != 1 {
			t.Error("the catalogue did not change with the commit")
		}
	})
}

func TestCatalogue_ChangesAfterAnEnrollmentIsCommitted(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		store := &roomtest.FaultyStore{}
		w := roomtest.New(t, database, roomtest.WithFaultyStore(store))
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		o := w.Order(t, ada, course)
		before, revision := w.Platform.Catalog.CatalogueChanges(), w.Revision(t)
		store.BeforeCommit = func() {
			if w.Revision(t) != revision {
				t.Error("the catalogue changed before the commit")
			}
		}
		store.FailOn("COMMIT")
		if err := w.Platform.System().CapturePayment(ctx(),
			roomtest.CapturedPayment(o, "pay_1")); !errors.Is(err, roomtest.ErrInjected) ||
			w.Revision(t) != revision {
			t.Errorf("%v, and the revision %+v after %+v", err, w.Revision(t), revision)
		}
		if err := w.Platform.System().CapturePayment(ctx(), roomtest.CapturedPayment(o, "pay_1")); err !=
			nil || w.Revision(t) == revision {
			t.Errorf("%v, and the revision %+v after %+v", err, w.Revision(t), revision)
		}
		if w.Platform.Catalog.CatalogueChanges() != before {
			t.Error("an enrolment is counted as a change of a course")
		}
	})
}

func TestAddCourse_FailureLeavesNoThumbnail(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		store, media := &roomtest.FaultyStore{}, &roomtest.MemoryMedia{}
		w := roomtest.New(t, database, roomtest.WithFaultyStore(store),
			learningtest.WithPlatform(learning.WithMedia(media)))
		educator := w.Person(t, "educator", core.Educator)
		add := func(id string) error {
			_, err := w.Platform.Catalog.AddCourse(ctx(), educator, roomtest.NewCourse(id),
				learningtest.Thumbnail(t))
			return err
		}
		if err := add("go"); err != nil {
			t.Fatal(err)
		}
		if err := add("go"); !errors.Is(err, core.ErrDuplicate) {
			t.Errorf("the same id twice: %v", err)
		}
		store.FailOn("insert a course")
		if err := add("rust"); !errors.Is(err, roomtest.ErrInjected) {
			t.Errorf("a broken database: %v", err)
		}
		media.Broken = errors.New("the disk is full")
		if err := add("rust"); !errors.Is(err, media.Broken) {
			t.Errorf("a broken media store: %v", err)
		}
		media.WantInUse(t, w)
		if n := len(w.List(t)); n != 1 {
			t.Errorf("%d courses", n)
		}
	})
}

// unansweredStore is a store whose transactions, after some, take effect and have an unknown
// outcome.
type unansweredStore struct {
	learning.Store
	answered int
}

func (s *unansweredStore) InTx(ctx context.Context, fn func(learning.Tx) error) error {
	err := s.Store.InTx(ctx, fn)
	if s.answered--; s.answered >= 0 {
		return err
	}
	return errors.Join(err, core.ErrUnknownOutcome)
}

// An unused file is better than a missing one.
func TestAddCourse_UnknownOutcomeKeepsTheThumbnail(t *testing.T) {
	media := &roomtest.MemoryMedia{}
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(learning.WithMedia(media)),
		// the reservation is answered
		learningtest.WithStore(func(s learning.Store) learning.Store {
			return &unansweredStore{s,
				1}
		}))
	educator := learning.Actor{UserID: "educator", Role: core.Educator}
	if _, err := w.Platform.Catalog.AddCourse(ctx(), educator, roomtest.NewCourse("go"),
		learningtest.Thumbnail(t)); !errors.Is(err, core.ErrUnknownOutcome) {
		t.Errorf("%v", err)
	}
	media.WantInUse(t, w)
}

func TestAddCourse_RequiresEducator(t *testing.T) {
	media := &roomtest.MemoryMedia{}
	w := learningtest.New(t, learningtest.WithPlatform(learning.WithMedia(media)))
	for role, want := range map[learning.Actor]error{
		{}:                                  core.ErrUnauthenticated,
		{UserID: "ada", Role: core.Student}: core.ErrForbidden,
		{UserID: "ada", Role: core.Admin}:   core.ErrForbidden,
		{UserID: "ada"}:                     core.ErrForbidden,
		{Role: core.Educator}:               core.ErrUnauthenticated,
	} {
		if _, err := w.Platform.Catalog.AddCourse(ctx(), role, roomtest.NewCourse("go"),
			learningtest.Thumbnail(t)); !errors.Is(err, want) {
			t.Errorf("%+v: %v, want %v", role, err, want)
		}
	}
	if len(media.Files) != 0 {
		t.Errorf("%d thumbnails were stored", len(media.Files))
	}
}

func TestCourse_DraftIsNotShown(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		draft := roomtest.NewCourse("draft")
		draft.Published = false
		educator := w.Person(t, "educator", core.Educator)
		if _, err := w.Platform.Catalog.AddCourse(ctx(), educator, draft,
			learningtest.Thumbnail(t)); err !=
			nil {
			t.Fatal(err)
		}
		if list := w.List(t); len(list) != 0 {
			t.Errorf("the list has %v", list)
		}
		if _, err := w.Platform.Catalog.PublishedCourse(ctx(), "draft"); !errors.Is(err,
			catalog.ErrCourseNotFound) {
			t.Errorf("the course: %v", err)
		}
	})
}

func TestCourse_HidesURLsOfPaidLectures(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		educator := w.Person(t, "educator", core.Educator)
		if _, err := w.Platform.Catalog.AddCourse(ctx(), educator, roomtest.NewCourse("go"),
			learningtest.Thumbnail(t)); err != nil {
			t.Fatal(err)
		}
		c, err := w.Platform.Catalog.PublishedCourse(ctx(), "go")
		if err != nil {
			t.Fatal(err)
		}
		if c.Lectures != 2 || c.Minutes != 4 || c.Educator.Name != "educator" {
			t.Errorf("the course is %+v", c)
		}
		var urls []string
		for _, l := range c.Content[0].Lectures {
			urls = append(urls, l.URL)
		}
		if diff := cmp.Diff([]string{"https://example.com/open", ""}, urls); diff != "" {
			t.Error(diff)
		}
	})
}
