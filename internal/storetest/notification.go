package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/inbox"
)

var notificationTests = []test{
	{"notifications are stored with all fields, the newest first, and marked as read",
		notificationFields},
	{"a notification replaces the one of its reader, kind and thing", notificationReplaced},
	{"unread notifications are counted up to a number", notificationsUnread},
	{"notifications are deleted by position, actor, course, post, reply and review",
		notificationsDeleted},
	{"the readers of notifications are listed, the oldest first", notificationReaders},
	{"kinds of notifications are muted", mutes},
	{"a user is locked who is not deleted", lockUndeletedUser},
	{"the titles of lectures are read by course", lectureTitles},
	{"open complaints are listed by what they are about", openComplaints},
}

// told returns a notification of "u" by the user "actor" about the post "p".
func told(id string, at time.Time) core.Notification {
	return core.Notification{ID: id, Kind: "reply.created", ReaderID: "u", ActorID: "actor",
		Thing: "thing of " + id, CreatedAt: at,
		NotificationIDs: core.NotificationIDs{CourseID: "c", ChapterID: "ch", LectureID: "l",
			PostID: "p", ReplyID: "r " + id, SubmissionID: "s", AttemptID: "a",
			ReviewID: "v " + id, CertificateID: "ce", PurchaseID: "pu", AnnouncementID: "an"},
		Decision: "removed"}
}

// shown returns a notification as the list of a store without courses and users shows it.
func shown(n core.Notification, isRead bool) inbox.Notification {
	return inbox.Notification{Notification: n, ActorName: core.UnknownUser, IsRead: isRead}
}

// replace writes notifications.
func (f *fixture) replace(list ...core.Notification) {
	f.t.Helper()
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.ReplaceNotifications(ctx, list)
	})
}

// notified checks the notifications of "u" in pages, all or those that are not read.
func (f *fixture) notified(onlyUnread bool, want ...inbox.Notification) {
	f.t.Helper()
	pages := paged(f.t, func(ctx context.Context, page core.PageRequest) ([]inbox.Notification,
		error) {
		return f.Notifications(ctx, "u", onlyUnread, page)
	}, func(n inbox.Notification) core.Position {
		return core.Position{At: n.CreatedAt, ID: n.ID}
	})
	equal(f.t, pages, nil, want)
}

func notificationFields(t *testing.T, f *fixture) {
	f.add(user("actor"), course("c"), community.Post{ID: "p", Title: "Title", Tags: []string{},
		Author: core.Person{ID: "u"}, CreatedAt: noon, UpdatedAt: noon})
	a, b, c := told("a", noon), told("b", noon), told("c", noon.Add(time.Hour))
	c.ActorID = ""
	other := told("o", noon)
	other.ReaderID = "v"
	f.replace(a, b, c, other)
	show := func(n core.Notification, isRead bool) inbox.Notification {
		s := shown(n, isRead)
		s.ActorName, s.CourseTitle, s.PostTitle = "Name of actor", "Course c", "Title"
		if n.ActorID == "" {
			s.ActorName = ""
		}
		return s
	}
	f.notified(false, show(c, false), show(b, false), show(a, false))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.MarkNotificationsRead(ctx, "u", []string{"b", "o"})
	})
	f.notified(true, show(c, false), show(a, false))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.MarkNotificationsReadBefore(ctx, "u", noon.Add(time.Minute))
	})
	f.notified(false, show(c, false), show(b, true), show(a, true))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		_, err := tx.ScrubUser(ctx, "actor", noon)
		return err
	})
	list, err := f.Notifications(t.Context(), "u", true, core.PageRequest{Limit: 10})
	equal(t, list, err, []inbox.Notification{show(c, false)})
	list, err = f.Notifications(t.Context(), "v", true, core.PageRequest{Limit: 10})
	if err != nil || len(list) != 1 || list[0].ActorName != core.DeletedUser {
		t.Errorf("the notifications of another user are %+v (%v)", list, err)
	}
}

func notificationReplaced(_ *testing.T, f *fixture) {
	a := told("a", noon)
	f.replace(a)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.MarkNotificationsRead(ctx, "u", []string{"a"})
	})
	again := told("b", noon.Add(time.Hour))
	again.Thing, again.ActorID = a.Thing, "another"
	otherKind := a
	otherKind.ID, otherKind.Kind = "k", "reply.accepted"
	f.replace(otherKind, again)
	f.notified(false, shown(again, false), shown(otherKind, false))
}

func notificationsUnread(t *testing.T, f *fixture) {
	for i := range inbox.MaxUnread + 1 {
		got, err := f.UnreadNotifications(t.Context(), "u")
		equal(t, got, err, i)
		f.replace(told(fmt.Sprint(i), noon))
	}
	got, err := f.UnreadNotifications(t.Context(), "u")
	equal(t, got, err, inbox.MaxUnread)

	other := told("o", noon)
	other.ReaderID = "v"
	f.replace(other)
	for _, n := range []int{3, 100} { // which are statements with different numbers of users
		users := make([]string, n)
		for i := range users {
			users[i] = fmt.Sprint("w", i)
		}
		users[n-1], users[n-2] = "v", "u"
		of, err := f.UnreadOf(t.Context(), users)
		equal(t, of, err, map[string]int{"u": inbox.MaxUnread, "v": 1})
	}
}

func notificationsDeleted(_ *testing.T, f *fixture) {
	remove := func(do func(ctx context.Context, tx learning.Tx) error, want ...string) {
		f.t.Helper()
		list := []core.Notification{told("a", noon), told("b", noon),
			told("c", noon.Add(time.Second))}
		list[0].ActorID = "ben"
		list[1].CourseID, list[1].PostID = "d", "q"
		other := told("o", noon)
		other.ReaderID = "v"
		f.replace(append(list, other)...)
		f.do(do)
		var got []string
		found, err := f.Notifications(f.t.Context(), "u", false, core.PageRequest{Limit: 10})
		for _, n := range found {
			got = append(got, n.ID)
		}
		equal(f.t, got, err, want)
	}
	remove(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteNotificationsUntil(ctx, "u", core.Position{At: noon, ID: "b"})
	}, "c")
	remove(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteNotificationsBy(ctx, "ben", "reply.created")
	}, "c", "b")
	remove(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteNotificationsBy(ctx, "ben", "reply.accepted")
	}, "c", "b", "a")
	remove(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteCourseNotifications(ctx, "d")
	}, "c", "a")
	remove(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeletePostNotifications(ctx, "p")
	}, "b")
	remove(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteReplyNotifications(ctx, "p", "r a")
	}, "c", "b")
	remove(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteReviewNotifications(ctx, "v b")
	}, "c", "a")
}

func notificationReaders(t *testing.T, f *fixture) {
	a, b, c := told("a", noon), told("b", noon), told("c", noon.Add(time.Second))
	b.ReaderID = "v"
	f.replace(a, b, c)
	at := func(n core.Notification) inbox.ReaderPosition {
		return inbox.ReaderPosition{UserID: n.ReaderID,
			At: core.Position{At: n.CreatedAt, ID: n.ID}}
	}
	pages := paged(t, f.Readers, func(r inbox.ReaderPosition) core.Position { return r.At })
	equal(t, pages, nil, []inbox.ReaderPosition{at(a), at(b), at(c)})
	got, err := f.NewestNotification(t.Context(), "u", 2)
	equal(t, got, err, at(a).At)
	got, err = f.NewestNotification(t.Context(), "u", 3)
	missing(t, got, err)
}

func mutes(t *testing.T, f *fixture) {
	a, b := core.Mute{UserID: "u", Kind: "a"}, core.Mute{UserID: "v", Kind: "b"}
	f.add(a, b, core.Mute{UserID: "w", Kind: "a"})
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertMute(ctx, a)
	})
	got, err := f.Mutes(t.Context(), []string{"u", "v", "x"})
	if len(got) == 2 && got[0] == b { // they have no order
		got[0], got[1] = got[1], got[0]
	}
	equal(t, got, err, []core.Mute{a, b})
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteMute(ctx, a) })
	got, err = f.Mutes(t.Context(), []string{"u", "v"})
	equal(t, got, err, []core.Mute{b})
}

func lockUndeletedUser(t *testing.T, f *fixture) {
	f.add(user("u"), user("v"))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		_, err := tx.ScrubUser(ctx, "v", noon)
		return err
	})
	deleted, err := f.DeletedOf(t.Context(), []string{"u", "v", "unknown"})
	equal(t, deleted, err, []string{"v"})
	for id, want := range map[string]bool{"u": true, "v": false, "unknown": false} {
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.LockUndeletedUser(ctx, id)
		})
	}
}

func lectureTitles(t *testing.T, f *fixture) {
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertCourse(ctx, course("c"), chapters)
	})
	f.add(course("d"))
	got, err := f.Titles(t.Context(), []string{"c", "d", "unknown"})
	want := map[string]catalog.Titles{
		"c": {Course: course("c").Title, Lectures: map[string]catalog.LectureTitle{}},
		"d": {Course: course("d").Title, Lectures: map[string]catalog.LectureTitle{}},
	}
	for _, chapter := range chapters {
		for _, l := range chapter.Lectures {
			want["c"].Lectures[l.ID] = catalog.LectureTitle{Chapter: chapter.Title, Title: l.Title}
		}
	}
	equal(t, got, err, want)
}

func openComplaints(t *testing.T, f *fixture) {
	post, reply, review := complaint("post", "p", "ada"), complaint("reply", "p", "ada"),
		complaint("review", "", "ada")
	reply.ReplyID, review.ReviewID = "r", "v"
	closed := complaint("closed", "p", "eve")
	f.add(post, reply, review, closed)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		_, err := tx.DecideComplaint(ctx, "closed", community.ComplaintOpen, community.ComplaintDecision{
			Status: community.ComplaintDismissed, By: "admin", At: noon})
		return err
	})
	for about, want := range map[[2]string][]community.Complaint{
		{"p", ""}: {post, reply}, {"p", "r"}: {reply}, {"", "v"}: {review},
	} {
		got, err := f.OpenComplaints(t.Context(), about[0], about[1])
		if len(got) == 2 && got[0].ID == "reply" { // they have no order
			got[0], got[1] = got[1], got[0]
		}
		equal(t, got, err, want)
	}
}
