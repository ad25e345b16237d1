package roomtest

import (
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// Moderator is an admin who decides complaints.
var Moderator = core.Actor{UserID: "mo", Role: core.Admin}

// Complains reports a post or a reply, and returns the newest complaint.
func (w *World) Complains(t *testing.T, who core.Actor,
	postID, replyID string) community.Complaint {
	t.Helper()
	w.Clock.Advance(time.Second)
	if err := w.Platform.Community.Complain(ctx(), who, postID, replyID, " Rude \n"); err != nil {
		t.Fatal(err)
	}
	return w.Complaints(t, "")[0]
}

// Complaints returns the complaints with a status.
func (w *World) Complaints(t *testing.T, status community.ComplaintStatus) []community.Complaint {
	t.Helper()
	var list []community.Complaint
	for _, c := range w.ComplaintReports(t, status) {
		list = append(list, c.Complaint)
	}
	return list
}

// ComplaintReports returns the complaints with a status as an admin sees them.
func (w *World) ComplaintReports(
	t *testing.T, status community.ComplaintStatus,
) []community.ComplaintReport {
	t.Helper()
	list, err := PageRows(w.Platform.Community.Complaints(ctx(), Moderator, status, WholeList))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// WantComplaints checks the states of all complaints, the newest first.
func (w *World) WantComplaints(t *testing.T, want ...community.ComplaintStatus) {
	t.Helper()
	var got []community.ComplaintStatus
	for _, c := range w.Complaints(t, "") {
		got = append(got, c.Status)
		if (c.Status == community.ComplaintOpen) != (c.DecidedBy == "") ||
			(c.DecidedBy == "") != c.DecidedAt.IsZero() {
			t.Errorf("%s and decided by %q at %v", c.Status, c.DecidedBy, c.DecidedAt)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the complaints are %q, want %q", got, want)
	}
	w.WantCounted(t)
}
