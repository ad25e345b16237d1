package bundle_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

var ctx = context.Background

// whole asks for a list in one page.
var whole = core.PageRequest{Limit: 100}

// titles returns the titles of bundles.
func titles(t *testing.T, page core.Page[bundle.Bundle], err error) string {
	t.Helper()
	roomtest.Must(t, err)
	var list []string
	for _, b := range page.Rows {
		list = append(list, b.Title)
	}
	return strings.Join(list, " ")
}

// other is an educator of another course.
func other(t *testing.T, w *roomtest.World) (core.Actor, string) {
	t.Helper()
	actor := w.Person(t, "other-educator", core.Educator)
	id, err := w.Platform.Catalog.AddCourse(ctx(), actor, roomtest.NewCourse("theirs"),
		learningtest.Thumbnail(t))
	roomtest.Must(t, err)
	return actor, id
}

func TestCreate_OwnCoursesOnly(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t),
		learningtest.WithPlatform(learning.WithMedia(&roomtest.MemoryMedia{})))
	w.Course(t, "a", 10_00)
	w.Course(t, "b", 20_00)
	colleague, theirs := other(t, w)
	create := func(actor core.Actor, ids ...string) (bundle.Bundle, error) {
		return w.Platform.Bundles.Create(ctx(), actor, bundle.NewBundle{Title: "Bundle",
			CourseIDs: ids, Price: 5_00, Published: true})
	}
	for name, try := range map[string]struct {
		actor core.Actor
		ids   []string
		want  error
	}{
		"no token":                  {core.Actor{}, []string{"a", "b"}, core.ErrUnauthenticated},
		"student":                   {w.Person(t, "ada", core.Student), []string{"a", "b"}, core.ErrForbidden},
		"course of another":         {roomtest.Teacher, []string{"a", theirs}, core.ErrForbidden},
		"other educator":            {colleague, []string{"a", "b"}, core.ErrForbidden},
		"unknown course":            {roomtest.Boss, []string{"a", "none"}, catalog.ErrCourseNotFound},
		"one course":                {roomtest.Boss, []string{"a"}, core.ErrInvalidRequest},
		"the same course twice":     {roomtest.Boss, []string{"a", "b", "a"}, core.ErrInvalidRequest},
		"own":                       {roomtest.Teacher, []string{"b", "a"}, nil},
		"an admin's, of one":        {roomtest.Boss, []string{"b", "a"}, nil},
		"an admin's, of two people": {roomtest.Boss, []string{"b", theirs}, nil},
	} {
		b, err := create(try.actor, try.ids...)
		if !errors.Is(err, try.want) {
			t.Errorf("%s: %v, want %v", name, err, try.want)
		}
		var ids []string
		for _, c := range b.Courses {
			ids = append(ids, c.ID)
		}
		if err == nil && !slices.Equal(ids, try.ids) {
			t.Errorf("%s: the courses are %q", name, ids)
		}
	}

	// Of several educators, only admins may change it.
	own, err := w.Platform.Bundles.Own(ctx(), roomtest.Teacher, whole)
	roomtest.Must(t, err)
	all, err := w.Platform.Bundles.Own(ctx(), roomtest.Boss, whole)
	roomtest.Must(t, err)
	if len(own.Rows) != 2 || len(all.Rows) != 3 {
		t.Errorf("an educator has %d bundles, and an admin %d", len(own.Rows), len(all.Rows))
	}
}

func TestCreate_PricesAreThoseOfACourse(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ids := []string{w.Course(t, "a", 10_00), w.Course(t, "b", 20_00)}
	for name, n := range map[string]bundle.NewBundle{
		"a negative price":     {Price: -1},
		"above the largest":    {Price: catalog.MaxCoursePrice + 1},
		"too little is left":   {Price: 1_50, Discount: 50_00},
		"more than 100 %":      {Price: 10_00, Discount: 100_01},
		"in the own currency":  {Prices: []catalog.Price{{Currency: "INR", Amount: 5_00}}},
		"in no known currency": {Prices: []catalog.Price{{Currency: "ABC", Amount: 5_00}}},
		"a title too long":     {Title: strings.Repeat("a", 201)},
	} {
		if n.Title == "" {
			n.Title = "Bundle"
		}
		n.CourseIDs = ids
		if _, err := w.Platform.Bundles.Create(ctx(), roomtest.Teacher, n); !errors.Is(err,
			core.ErrInvalidRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An educator has at most so many bundles, also with concurrent requests; admins are not limited.
func TestCreate_UpToTheLimit(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	n := bundle.NewBundle{Title: "Bundle",
		CourseIDs: []string{w.Course(t, "a", 0), w.Course(t, "b", 0)}}
	for i := range bundle.MaxBundlesOfEducator - 1 {
		w.Exec(t, `INSERT INTO bundles (id, title, thumbnail, price, discount, is_published,
			educator_id, version, created_at, updated_at, description)
			VALUES (?, 'Old', '', 0, 0, 0, ?, 1, '2026-01-01', '2026-01-01', '')`,
			fmt.Sprint("old-", i), roomtest.Teacher.UserID)
	}
	errs := roomtest.Concurrently(3, func(int) error {
		_, err := w.Platform.Bundles.Create(ctx(), roomtest.Teacher, n)
		return err
	})
	refused := 0
	for _, err := range errs {
		if errors.Is(err, bundle.ErrTooManyBundles) {
			refused++
		} else {
			roomtest.Must(t, err)
		}
	}
	if refused != 2 {
		t.Errorf("%d of 3 are refused, want 2", refused)
	}
	_, err := w.Platform.Bundles.Create(ctx(), roomtest.Boss, n)
	roomtest.Must(t, err)
}

func TestEdit_InTheVersionThatWasRead(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t),
		learningtest.WithPlatform(learning.WithMedia(&roomtest.MemoryMedia{})))
	a, b, c := w.Course(t, "a", 10_00), w.Course(t, "b", 20_00), w.Course(t, "c", 0)
	colleague, theirs := other(t, w)
	made := w.Bundle(t, bundle.NewBundle{CourseIDs: []string{a, b}, Price: 9_00})
	edit := func(actor core.Actor, e bundle.Edit) (bundle.Bundle, error) {
		return w.Platform.Bundles.Edit(ctx(), actor, made.ID, e)
	}

	// Nothing differs, then a change.
	same, err := edit(roomtest.Teacher, bundle.Edit{Version: 1, Title: &made.Title,
		CourseIDs: []string{a, b}})
	roomtest.Must(t, err)
	if same.Version != 1 {
		t.Errorf("the version is %d after no change", same.Version)
	}
	w.Clock.Advance(time.Minute)
	edited, err := edit(roomtest.Teacher, bundle.Edit{Version: 1, Title: new("New"),
		CourseIDs: []string{c, a}, Published: new(true)})
	roomtest.Must(t, err)
	if edited.Version != 2 || edited.Title != "New" || edited.Price != 9_00 ||
		!edited.Published || len(edited.Courses) != 2 || edited.Courses[0].ID != c ||
		!edited.UpdatedAt.Equal(w.Clock.Now()) {
		t.Errorf("edited: %+v", edited)
	}
	stored, err := w.Platform.Bundles.Bundle(ctx(), made.ID)
	roomtest.Must(t, err)
	if stored.Version != 2 || stored.Courses[0].ID != c {
		t.Errorf("stored: %+v", stored)
	}

	for name, try := range map[string]struct {
		actor core.Actor
		edit  bundle.Edit
		want  error
	}{
		"an old version":    {roomtest.Teacher, bundle.Edit{Version: 1, Title: new("Old")}, bundle.ErrBundleChanged},
		"of another":        {colleague, bundle.Edit{Version: 2, Title: new("Mine")}, core.ErrForbidden},
		"course of another": {roomtest.Teacher, bundle.Edit{Version: 2, CourseIDs: []string{a, theirs}}, core.ErrForbidden},
		"unknown course":    {roomtest.Teacher, bundle.Edit{Version: 2, CourseIDs: []string{a, "none"}}, catalog.ErrCourseNotFound},
		"one course":        {roomtest.Teacher, bundle.Edit{Version: 2, CourseIDs: []string{a}}, core.ErrInvalidRequest},
		"no title":          {roomtest.Teacher, bundle.Edit{Version: 2, Title: new("")}, core.ErrInvalidRequest},
		"too cheap":         {roomtest.Teacher, bundle.Edit{Version: 2, Discount: new(core.Percent(99_00))}, core.ErrInvalidRequest},
	} {
		if _, err := edit(try.actor, try.edit); !errors.Is(err, try.want) {
			t.Errorf("%s: %v, want %v", name, err, try.want)
		}
	}

	// An admin adds the course of another educator: then it is the admins'.
	_, err = edit(roomtest.Boss, bundle.Edit{Version: 2, CourseIDs: []string{a, theirs}})
	roomtest.Must(t, err)
	if _, err := edit(roomtest.Teacher, bundle.Edit{Version: 3}); !errors.Is(err,
		core.ErrForbidden) {
		t.Errorf("a bundle of two educators is changed by one: %v", err)
	}
}

// Two edits of one version: one of them is stored.
func TestEdit_AtOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		a, b, c := w.Course(t, "a", 0), w.Course(t, "b", 0), w.Course(t, "c", 0)
		made := w.Bundle(t, bundle.NewBundle{CourseIDs: []string{a, b}})
		courses := [][]string{{b, c}, {c, a}}
		errs := roomtest.Concurrently(2, func(i int) error {
			_, err := w.Platform.Bundles.Edit(ctx(), roomtest.Teacher, made.ID,
				bundle.Edit{Version: 1, CourseIDs: courses[i]})
			return err
		})
		winner := 0
		if errs[0] != nil {
			winner = 1
		}
		if errs[winner] != nil || !errors.Is(errs[1-winner], bundle.ErrBundleChanged) {
			t.Fatalf("the edits returned %v", errs)
		}
		list, err := w.Store.CoursesOfBundles(ctx(), []string{made.ID})
		roomtest.Must(t, err)
		if len(list) != 2 || list[0].ID != courses[winner][0] || list[1].ID != courses[winner][1] {
			t.Errorf("the courses are %+v", list)
		}
	})
}

// A bundle is for sale while it and all its courses are published, and none of them has ended.
func TestBundle_ForSale(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	a, b := w.Course(t, "a", 0), w.Course(t, "b", 0)
	made := w.Bundle(t, bundle.NewBundle{CourseIDs: []string{a, b}, Published: true})
	isForSale := func(want bool, when string) {
		t.Helper()
		page, err := w.Platform.Bundles.Published(ctx(), whole)
		_, errOne := w.Platform.Bundles.Bundle(ctx(), made.ID)
		listed := titles(t, page, err) != ""
		found := !errors.Is(errOne, bundle.ErrBundleNotFound)
		if listed != want || found != want {
			t.Errorf("%s: it is listed: %v, found: %v, want %v", when, listed, found, want)
		}
	}
	isForSale(true, "at first")
	w.Edit(t, b, catalog.CourseEdit{Published: new(false)})
	isForSale(false, "with an unpublished course")
	until := w.Clock.Now().Add(time.Hour)
	w.Edit(t, b, catalog.CourseEdit{Published: new(true), Terms: &catalog.Terms{Until: until}})
	isForSale(true, "before the end of a course")
	w.Clock.Advance(time.Hour)
	isForSale(false, "with a course that has ended")
	w.Edit(t, b, catalog.CourseEdit{Terms: &catalog.Terms{}})
	isForSale(true, "with a course that does not end")
	_, err := w.Platform.Bundles.Edit(ctx(), roomtest.Teacher, made.ID,
		bundle.Edit{Version: 1, Published: new(false)})
	roomtest.Must(t, err)
	isForSale(false, "as a draft")
	roomtest.Must(t, w.Platform.Bundles.Delete(ctx(), roomtest.Teacher, made.ID))
	isForSale(false, "deleted")
}

// Pages go on after published bundles that are not for sale.
func TestPublished_PagesLeaveOut(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	a, b, draft := w.Course(t, "a", 0), w.Course(t, "b", 0), w.Course(t, "draft", 0)
	w.Edit(t, draft, catalog.CourseEdit{Published: new(false)})
	for i, ids := range [][]string{{a, b}, {a, draft}, {b, draft}, {b, a}} {
		w.Clock.Advance(time.Minute)
		w.Bundle(t, bundle.NewBundle{Title: fmt.Sprint(i), CourseIDs: ids, Published: true})
	}
	var found []string
	page := core.PageRequest{Limit: 1}
	for range 2 {
		got, err := w.Platform.Bundles.Published(ctx(), page)
		found = append(found, titles(t, got, err))
		page.After = got.Next
	}
	if want := []string{"3", "0"}; !slices.Equal(found, want) || !page.After.IsZero() {
		t.Errorf("the pages have %q, want %q", found, want)
	}
}

// The thumbnail goes with the bundle, and an old one when another takes its place.
func TestSetThumbnail_ReplacesAndGoes(t *testing.T) {
	media := &roomtest.MemoryMedia{}
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(learning.WithMedia(media)))
	made := w.Bundle(t, bundle.NewBundle{
		CourseIDs: []string{w.Course(t, "a", 0), w.Course(t, "b", 0)}})
	ofCourses := len(media.Files)
	for version := int64(2); version <= 3; version++ {
		name, err := w.Platform.Bundles.SetThumbnail(ctx(), roomtest.Teacher, made.ID,
			learningtest.Thumbnail(t))
		roomtest.Must(t, err)
		b, err := w.Store.Bundle(ctx(), made.ID)
		roomtest.Must(t, err)
		if b.Thumbnail != name || b.Version != version || len(media.Files) != ofCourses+1 {
			t.Errorf("%+v has the picture %s, and there are %d", b, name, len(media.Files))
		}
	}
	student := w.Person(t, "ada", core.Student)
	if _, err := w.Platform.Bundles.SetThumbnail(ctx(), student, made.ID,
		learningtest.Thumbnail(t)); !errors.Is(err, core.ErrForbidden) {
		t.Errorf("a student sets it: %v", err)
	}
	if err := w.Platform.Bundles.Delete(ctx(), student, made.ID); !errors.Is(err,
		core.ErrForbidden) {
		t.Errorf("a student deletes it: %v", err)
	}
	roomtest.Must(t, w.Platform.Bundles.Delete(ctx(), roomtest.Teacher, made.ID))
	rows := w.Count(t, "bundles") + w.Count(t, "bundle_courses") + w.Count(t, "unused_files")
	if rows != 0 || len(media.Files) != ofCourses {
		t.Errorf("%d rows and %d files are left", rows, len(media.Files))
	}
}
