package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

var complaintTests = []test{
	{"a complaint is read as it was stored, also with the longest texts", complaintRoundTrip},
	{"a complaint that does not exist is ErrNoRecord", complaintMissing},
	{"a user complains once about a post, and once about each reply", complaintOnce},
	{"complaints are listed, of one status or all, the newest first", complaintList},
	{"a complaint is dismissed, then removed, and not dismissed any more", complaintDecide},
	{"the open complaints about a reply, or about a post with its replies, are closed",
		complaintClose},
	{"complaints show who wrote and who reported, and the course", complaintNames},
	{"open complaints about several posts are closed", complaintClosePosts},
	{"complaints of a deleted user stay, without the id", complaintForget},
}

// complaint returns an open complaint of a user about a post.
func complaint(id, postID, reporterID string) community.Complaint {
	return community.Complaint{ID: id, PostID: postID, ReporterID: reporterID,
		Reason: "Rude\n<b> " + id, Excerpt: "Ex\x01cerpt 🎓", Status: community.ComplaintOpen,
		CreatedAt: noon}
}

// keptComplaint checks a stored complaint.
func (f *fixture) keptComplaint(want community.Complaint) {
	f.t.Helper()
	got, err := f.Complaint(f.t.Context(), want.ID)
	equal(f.t, got, err, want)
}

func complaintRoundTrip(t *testing.T, f *fixture) {
	largest := complaint(long(10), long(10), long(47)+"abc")
	largest.ReplyID = long(10)
	largest.Reason = long(community.MaxComplaintReason)
	largest.Excerpt = long(200)
	for _, c := range []community.Complaint{complaint("a", "p", "ada"), largest} {
		f.add(c)
		f.keptComplaint(c)
	}
}

func complaintMissing(t *testing.T, f *fixture) {
	f.add(complaint("a", "p", "ada"))
	for _, id := range unknownIDs {
		got, err := f.Complaint(t.Context(), id)
		missing(t, got, err)
	}
}

func complaintOnce(t *testing.T, f *fixture) {
	about := complaint("b", "p", "ada")
	about.ReplyID = "r"
	f.add(complaint("a", "p", "ada"), about, complaint("c", "p", "eve"), complaint("d", "q", "ada"))
	for _, c := range []community.Complaint{complaint("a2", "p", "ada"),
		{ID: "b2", PostID: "p", ReplyID: "r", ReporterID: "ada", CreatedAt: noon}} {
		f.fails(core.ErrDuplicate,
			func(ctx context.Context, tx learning.Tx) error { return tx.InsertComplaint(ctx, c) })
	}
}

func complaintList(t *testing.T, f *fixture) {
	list := func(status community.ComplaintStatus) (list []community.Complaint) {
		for _, r := range f.complaintReports(status) {
			list = append(list, r.Complaint)
		}
		return list
	}
	equal(t, list(""), nil, nil)
	older, newer := complaint("z", "p", "ada"), complaint("0", "p", "eve")
	older.CreatedAt, newer.CreatedAt = noon.Add(-time.Microsecond), noon.Add(time.Microsecond)
	a, b := complaint("a", "q", "ada"), complaint("b", "q", "eve")
	f.add(a, older, newer, b)
	equal(t, list(""), nil, []community.Complaint{newer, b, a, older})
	b = f.decided(b, community.ComplaintDismissed)
	equal(t, list(community.ComplaintOpen), nil, []community.Complaint{newer, a, older})
	equal(t, list(community.ComplaintDismissed), nil, []community.Complaint{b})
	equal(t, list(community.ComplaintRemoved), nil, nil)
}

// complaintReports reads the complaints with a status in pages.
func (f *fixture) complaintReports(status community.ComplaintStatus) []community.ComplaintReport {
	f.t.Helper()
	return paged(f.t,
		func(ctx context.Context, page core.PageRequest) ([]community.ComplaintReport, error) {
			return f.ComplaintReports(ctx, status, page)
		}, func(c community.ComplaintReport) core.Position {
			return core.Position{At: c.CreatedAt, ID: c.ID}
		})
}

func complaintNames(t *testing.T, f *fixture) {
	f.add(user("ada"), user("eve"), community.Post{ID: "p", Title: "Title", Tags: []string{},
		Author: core.Person{ID: "eve"}, CourseID: "c", CreatedAt: noon, UpdatedAt: noon},
		community.Reply{ID: "r", PostID: "p", Author: core.Person{ID: "ada"}, CreatedAt: noon,
			UpdatedAt: noon})
	stored, ofPost, ofReply, unknown := complaint("d", "gone", "ada"), complaint("c", "p", "ada"),
		complaint("b", "p", "nobody"), complaint("a", "gone", "eve")
	ofReply.ReplyID = "r"
	stored.AuthorID, stored.CourseID = "eve", "stored"
	f.add(stored, ofPost, ofReply, unknown)
	ofPost.AuthorID, ofPost.CourseID = "eve", "c" // as long as it is there
	ofReply.AuthorID, ofReply.CourseID = "ada", "c"
	for _, c := range []community.Complaint{stored, ofPost, ofReply, unknown} {
		f.keptComplaint(c)
	}
	want := []community.ComplaintReport{
		{Complaint: stored, AuthorName: "Name of eve", ReporterName: "Name of ada"},
		{Complaint: ofPost, AuthorName: "Name of eve", ReporterName: "Name of ada"},
		{Complaint: ofReply, AuthorName: "Name of ada", ReporterName: core.UnknownUser},
		{Complaint: unknown, ReporterName: "Name of eve"},
	}
	equal(t, f.complaintReports(""), nil, want)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if _, err := tx.ScrubUser(ctx, "ada", noon); err != nil {
			return err
		}
		return tx.ForgetReporter(ctx, "ada")
	})
	for i := range want[:2] {
		want[i].ReporterID, want[i].ReporterName = "", core.DeletedUser
	}
	want[2].AuthorName = core.DeletedUser
	equal(t, f.complaintReports(community.ComplaintOpen), nil, want)
}

func complaintClosePosts(_ *testing.T, f *fixture) {
	post, reply, other, dismissed := complaint("a", "p", "ada"), complaint("b", "q", "ada"),
		complaint("c", "r", "ada"), complaint("d", "p", "eve")
	reply.ReplyID = "y"
	f.add(post, reply, other, dismissed)
	dismissed = f.decided(dismissed, community.ComplaintDismissed)
	d := community.ComplaintDecision{Status: community.ComplaintRemoved, At: noon}
	for _, want := range []int{2, 0} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			n, err := tx.ClosePostComplaints(ctx, []string{"p", "q", "none"}, d)
			equal(f.t, n, err, want)
			return err
		})
	}
	for _, c := range []*community.Complaint{&post, &reply} {
		c.Status, c.DecidedAt = d.Status, d.At
	}
	for _, want := range []community.Complaint{post, reply, other, dismissed} {
		f.keptComplaint(want)
	}
}

// decided stores a decision on a complaint and returns what it is then.
func (f *fixture) decided(
	c community.Complaint, status community.ComplaintStatus,
) community.Complaint {
	f.t.Helper()
	from := c.Status
	c.Status = status
	c.DecidedBy = "admin"
	c.DecidedAt = noon.Add(time.Hour)
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.DecideComplaint(ctx, c.ID, from,
			community.ComplaintDecision{Status: status, By: c.DecidedBy, At: c.DecidedAt})
	})
	f.keptComplaint(c)
	return c
}

func complaintDecide(t *testing.T, f *fixture) {
	c, other := complaint("a", "p", "ada"), complaint("b", "p", "eve")
	f.add(c, other)
	c = f.decided(f.decided(f.decided(c, community.ComplaintDismissed),
		community.ComplaintDismissed),
		community.ComplaintRemoved)
	for _, id := range []string{"a", "A", "none"} {
		f.reports(false, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.DecideComplaint(ctx, id, community.ComplaintOpen,
				community.ComplaintDecision{Status: community.ComplaintDismissed, By: "eve",
					At: noon})
		})
	}
	f.keptComplaint(c)
	f.keptComplaint(other)
}

func complaintClose(t *testing.T, f *fixture) {
	about := func(id, replyID string) community.Complaint {
		c := complaint(id, "p", id)
		c.ReplyID = replyID
		return c
	}
	post := about("a", "")
	first := about("b", "r")
	second := about("c", "s")
	dismissed := about("d", "r")
	elsewhere := complaint("e", "q", "e")
	f.add(post, first, second, dismissed, elsewhere)
	dismissed = f.decided(dismissed, community.ComplaintDismissed)
	d := community.ComplaintDecision{Status: community.ComplaintRemoved, By: "ada", At: noon}
	closed := func(c community.Complaint) community.Complaint {
		c.Status = d.Status
		c.DecidedBy = d.By
		c.DecidedAt = d.At
		return c
	}
	closes := func(replyID string, want int) {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			n, err := tx.CloseComplaints(ctx, "p", replyID, d)
			equal(t, n, err, want)
			return err
		})
	}
	closes("r", 1)
	for _, want := range []community.Complaint{post, closed(first), second, dismissed, elsewhere} {
		f.keptComplaint(want)
	}
	closes("", 2)
	for _, want := range []community.Complaint{closed(post), closed(first), closed(second),
		dismissed, elsewhere} {
		f.keptComplaint(want)
	}
}

func complaintForget(t *testing.T, f *fixture) {
	a := complaint("a", "p", "ada")
	b := complaint("b", "p", "eve")
	other := complaint("c", "p", "Ada")
	f.add(a, b, other)
	for _, id := range []string{"ada", "eve", "eve"} {
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.ForgetReporter(ctx, id) })
	}
	a.ReporterID, b.ReporterID = "", ""
	for _, want := range []community.Complaint{a, b, other} {
		f.keptComplaint(want)
	}
}
