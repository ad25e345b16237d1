package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/inbox"
	"github.com/openlectern/openlectern/learning/study"
)

var announcementTests = []test{
	{"announcements are stored with all fields, and listed, the newest first",
		announcementFields},
	{"an announcement moves from its position, until it is deleted", announcementMoves},
	{"the students of an announcement are those who were enrolled then", announcementStudents},
	{"the notifications of an announcement are listed and deleted", announcementNotifications},
}

// announcement returns an announcement of "ada" in the course "c", which is to be told.
func announcement(id string, at time.Time) inbox.Announcement {
	return inbox.Announcement{ID: id, CourseID: "c", Title: "Title " + id, Text: "Text of\n" + id,
		Author: core.Person{ID: "ada", Name: core.UnknownUser}, CreatedAt: at,
		State: inbox.AnnouncementTelling}
}

func announcementFields(t *testing.T, f *fixture) {
	a, b, other := announcement("a", noon), announcement("b", noon),
		announcement("o", noon.Add(time.Hour))
	other.CourseID, other.Title = "d", long(inbox.MaxAnnouncementTitle)
	other.ToldTo = core.Position{At: noon, ID: "u"}
	for _, one := range []inbox.Announcement{a, b, other} {
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertAnnouncement(ctx, one) })
	}
	got, err := f.Announcement(t.Context(), "o")
	equal(t, got, err, other)
	got, err = f.Announcement(t.Context(), "unknown")
	missing(t, got, err)
	of := func(courseID string) []inbox.Announcement {
		return paged(t, func(ctx context.Context, page core.PageRequest) ([]inbox.Announcement,
			error) {
			return f.AnnouncementsOf(ctx, courseID, page)
		}, func(a inbox.Announcement) core.Position {
			return core.Position{At: a.CreatedAt, ID: a.ID}
		})
	}
	equal(t, of("c"), nil, []inbox.Announcement{b, a})

	// Those of the courses of a student.
	f.add(study.Enrollment{UserID: "u", CourseID: "c", CreatedAt: noon},
		study.Enrollment{UserID: "u", CourseID: "d", CreatedAt: noon},
		study.Enrollment{UserID: "v", CourseID: "d", CreatedAt: noon})
	to := func(userID string) []inbox.Announcement {
		return paged(t, func(ctx context.Context, page core.PageRequest) ([]inbox.Announcement,
			error) {
			ranges, err := f.AnnouncementRanges(ctx, userID)
			if err != nil {
				return nil, err
			}
			positions, err := f.AnnouncementPositions(ctx, ranges, page)
			if err != nil {
				return nil, err
			}
			return f.AnnouncementsAt(ctx, positions)
		}, func(a inbox.Announcement) core.Position {
			return core.Position{At: a.CreatedAt, ID: a.ID}
		})
	}
	equal(t, to("u"), nil, []inbox.Announcement{other, b, a})
	equal(t, to("v"), nil, []inbox.Announcement{other})

	// Of many courses, and up to the end of access.
	var many []inbox.Announcement
	for i := range 40 {
		id := fmt.Sprintf("many-%02d", i)
		e := study.Enrollment{UserID: "w", CourseID: id, CreatedAt: noon}
		early, late := announcement(id, noon.Add(-time.Duration(i)*time.Second)),
			announcement("late "+id, noon.Add(time.Minute))
		early.CourseID, late.CourseID = id, id
		if e.ExpiresAt = noon.Add(time.Minute); i == 0 {
			e.ExpiresAt = noon.Add(time.Minute + time.Microsecond)
			many = append(many, late)
		}
		many = append(many, early)
		f.add(e, early, late)
	}
	equal(t, to("w"), nil, many)

	// Deleted ones are in no list.
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.SetAnnouncementState(ctx, "b", inbox.AnnouncementDeleted)
	})
	equal(t, of("c"), nil, []inbox.Announcement{a})
	equal(t, to("u"), nil, []inbox.Announcement{other, a})
	b.State, b.Text = inbox.AnnouncementDeleted, ""
	isWaiting, err := f.AnnouncementsWait(t.Context())
	equal(t, isWaiting, err, true)
	list, err := f.AnnouncementsIn(t.Context(), inbox.AnnouncementDeleted, 10)
	equal(t, list, err, []inbox.Announcement{b})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteAnnouncement(ctx, "b")
	})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteAnnouncements(ctx, "c")
	})
	equal(t, to("u"), nil, []inbox.Announcement{other})
}

func announcementMoves(t *testing.T, f *fixture) {
	a := announcement("a", noon)
	f.add(a)
	move := func(want bool, from core.Position, next inbox.Announcement) {
		t.Helper()
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.MoveAnnouncement(ctx, from, next)
		})
	}
	next := a
	next.ToldTo = core.Position{At: noon, ID: "u"}
	move(false, next.ToldTo, next)
	move(true, a.ToldTo, next)
	move(false, a.ToldTo, next)
	got, err := f.Announcement(t.Context(), "a")
	equal(t, got, err, next)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.SetAnnouncementState(ctx, "a", inbox.AnnouncementDeleted)
	})
	f.do(func(ctx context.Context, tx learning.Tx) error { // which does not bring it back
		return tx.SetAnnouncementState(ctx, "a", inbox.AnnouncementTold)
	})
	move(false, next.ToldTo, next)
}

func announcementStudents(t *testing.T, f *fixture) {
	for i, id := range []string{"b", "a", "c", "late"} {
		f.add(study.Enrollment{UserID: id, CourseID: "c",
			CreatedAt: noon.Add(time.Duration(i/2) * time.Hour)})
	}
	f.add(study.Enrollment{UserID: "other", CourseID: "d", CreatedAt: noon})
	at := func(id string, hours int) core.Position {
		return core.Position{At: noon.Add(time.Duration(hours) * time.Hour), ID: id}
	}
	got, err := f.StudentsUpTo(t.Context(), "c", noon, core.Position{}, 10)
	equal(t, got, err, []core.Position{at("a", 0), at("b", 0)})
	got, err = f.StudentsUpTo(t.Context(), "c", noon.Add(2*time.Hour), at("a", 0), 2)
	equal(t, got, err, []core.Position{at("b", 0), at("c", 1)})
}

func announcementNotifications(t *testing.T, f *fixture) {
	for _, id := range []string{"u", "v", "w"} {
		n := told("of "+id, noon)
		n.ReaderID = id
		f.replace(n)
	}
	got, err := f.ReadersOf(t.Context(), "an", 2)
	equal(t, got, err, []string{"u", "v"})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteAnnouncementNotifications(ctx, "an", []string{"u", "v"})
	})
	got, err = f.ReadersOf(t.Context(), "an", 2)
	equal(t, got, err, []string{"w"})
	got, err = f.ReadersOf(t.Context(), "another", 2)
	equal(t, got, err, nil)
}
