package learning_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
)

var moderator = learning.Actor{UserID: "mo", Role: learning.Admin}

// complains reports a post or a reply, and returns the newest complaint.
func (w *fixture) complains(t *testing.T, who learning.Actor,
	postID, replyID string) learning.Complaint {
	t.Helper()
	w.Clock.Advance(time.Second)
	if err := w.Platform.Complain(ctx(), who, postID, replyID, " Rude \n"); err != nil {
		t.Fatal(err)
	}
	return w.complaints(t, "")[0]
}

func (w *fixture) complaints(t *testing.T, status learning.ComplaintStatus) []learning.Complaint {
	t.Helper()
	list, err := pageRows(w.Platform.Complaints(ctx(), moderator, status, wholeList))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// wantComplaints checks the states of all complaints, the newest first.
func (w *fixture) wantComplaints(t *testing.T, want ...learning.ComplaintStatus) {
	t.Helper()
	var got []learning.ComplaintStatus
	for _, c := range w.complaints(t, "") {
		got = append(got, c.Status)
		if (c.Status == learning.ComplaintOpen) != (c.DecidedBy == "") ||
			(c.DecidedBy == "") != c.DecidedAt.IsZero() {
			t.Errorf("%s and decided by %q at %v", c.Status, c.DecidedBy, c.DecidedAt)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the complaints are %q, want %q", got, want)
	}
	w.wantCounted(t)
}

func TestComplain_KeepsWhatWasReported(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		s, ada := w.newSubject(t, "Gophers"), student("ada")
		long, err := w.Platform.CreateReply(ctx(), s.author, s.postID, strings.Repeat("界", 201))
		if err != nil {
			t.Fatal(err)
		}
		c := w.complains(t, ada, s.postID, long.ID)
		want := learning.Complaint{ID: c.ID, PostID: s.postID, ReplyID: long.ID, ReporterID: "ada",
			Reason: "Rude", Excerpt: strings.Repeat("界", 200),
			Status: learning.ComplaintOpen, CreatedAt: w.Clock.Now()}
		if diff := cmp.Diff(want, c); diff != "" {
			t.Error(diff)
		}
		w.complains(t, ada, s.postID, "")
		w.complains(t, ada, s.postID, long.ID) // again
		w.complains(t, student("eve"), s.postID, long.ID)
		w.wantComplaints(t, learning.ComplaintOpen, learning.ComplaintOpen, learning.ComplaintOpen)
		w.apply(t, event(learning.UserDeleted, 1))
		if n := w.count(t, "complaints WHERE reporter_id = 'ada'"); n != 0 {
			t.Errorf("%d complaints have the id of a deleted user", n)
		}
		w.wantComplaints(t, learning.ComplaintOpen, learning.ComplaintOpen, learning.ComplaintOpen)
	})
}

func TestComplain_Refusals(t *testing.T) {
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db")
	s := w.newSubject(t, "Gophers")
	other := w.newSubject(t, "Crabs")
	ada := student("ada")
	before := w.dump(t)
	for what, tt := range map[string]struct {
		postID, replyID, reason string
		want                    error
	}{
		"no reason":          {s.postID, "", " \n", learning.ErrInvalidRequest},
		"a long reason":      {s.postID, "", strings.Repeat("界", 501), learning.ErrInvalidRequest},
		"unknown post":       {"none", "", "Rude", learning.ErrPostNotFound},
		"malformed id":       {"\xff", "", "Rude", learning.ErrPostNotFound},
		"unknown reply":      {s.postID, "none", "Rude", learning.ErrReplyNotFound},
		"reply of another":   {s.postID, other.replyID, "Rude", learning.ErrReplyNotFound},
		"reply of none":      {"none", s.replyID, "Rude", learning.ErrPostNotFound},
		"malformed reply id": {s.postID, "\xff", "Rude", learning.ErrReplyNotFound},
	} {
		if err := w.Platform.Complain(ctx(), ada, tt.postID, tt.replyID, tt.reason); !errors.Is(err,
			tt.want) {
			t.Errorf("%s: %v, want %v", what, err, tt.want)
		}
	}
	if diff := cmp.Diff(before, w.dump(t)); diff != "" {
		t.Error(diff)
	}
}

func TestDecideComplaint_EachOrder(t *testing.T) {
	const open, dismissed, removed = learning.ComplaintOpen, learning.ComplaintDismissed, learning.ComplaintRemoved
	onEngines(t, func(t *testing.T, database string) {
		for _, tt := range []struct {
			name      string
			decisions []learning.ComplaintStatus
			err       error // of the last decision
			want      [3]learning.ComplaintStatus
			posts     int
			replies   int
		}{
			{"dismissed", []learning.ComplaintStatus{dismissed}, nil,
				[3]learning.ComplaintStatus{open, open, dismissed}, 1, 1},
			{"dismissed twice", []learning.ComplaintStatus{dismissed, dismissed}, nil,
				[3]learning.ComplaintStatus{open, open, dismissed}, 1, 1},
			{"removed", []learning.ComplaintStatus{removed}, nil,
				[3]learning.ComplaintStatus{open, removed, removed}, 1, 0},
			{"removed twice", []learning.ComplaintStatus{removed, removed}, nil,
				[3]learning.ComplaintStatus{open, removed, removed}, 1, 0},
			{"dismissed, then removed", []learning.ComplaintStatus{dismissed, removed}, nil,
				[3]learning.ComplaintStatus{open, removed, removed}, 1, 0},
			{"removed, then dismissed", []learning.ComplaintStatus{removed, dismissed},
				learning.ErrComplaintRemoved, [3]learning.ComplaintStatus{open, removed, removed},
				1, 0},
			{"opened", []learning.ComplaintStatus{open}, learning.ErrInvalidRequest,
				[3]learning.ComplaintStatus{open, open, open}, 1, 1},
		} {
			w := newFixture(t, database)
			w.empty(t)
			s := w.newSubject(t, tt.name)
			c := w.complains(t, student("ada"), s.postID, s.replyID)
			w.complains(t, student("eve"), s.postID, s.replyID)
			w.complains(t, student("eve"), s.postID, "")
			var err error
			for _, status := range tt.decisions {
				err = w.Platform.DecideComplaint(ctx(), moderator, c.ID, status)
			}
			if !errors.Is(err, tt.err) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.err)
			}
			w.wantComplaints(t, tt.want[:]...)
			if posts, replies := w.count(t, "posts"),
				w.count(t, "replies"); posts != tt.posts || replies != tt.replies {
				t.Errorf("%s: %d posts and %d replies", tt.name, posts, replies)
			}
		}
	})
}

func TestDecideComplaint_AboutAPost(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		s := w.newSubject(t, "Gophers")
		c := w.complains(t, student("ada"), s.postID, "")
		w.complains(t, student("ada"), s.postID, s.replyID)
		if err := w.Platform.DecideComplaint(ctx(), moderator, c.ID,
			learning.ComplaintRemoved); err != nil {
			t.Fatal(err)
		}
		w.wantComplaints(t, learning.ComplaintRemoved, learning.ComplaintRemoved)
		if n := w.count(t, "posts") + w.count(t, "replies"); n != 0 {
			t.Errorf("%d posts and replies are left", n)
		}
	})
}

// A complaint about what its author has deleted is closed, and can be decided in neither way.
func TestDecideComplaint_TargetIsGone(t *testing.T) {
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db")
	s := w.newSubject(t, "Gophers")
	of := w.complains(t, student("ada"), s.postID, s.replyID)
	dismissed := w.complains(t, student("ada"), s.postID, "")
	decide := func(id string, status learning.ComplaintStatus, want error) {
		t.Helper()
		if err := w.Platform.DecideComplaint(ctx(), moderator, id, status); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", status, err, want)
		}
	}
	if err := w.Platform.DeleteReply(ctx(), s.author, s.postID, s.replyID); err != nil {
		t.Fatal(err)
	}
	if c := w.complaints(t, learning.ComplaintRemoved); len(c) != 1 ||
		c[0].DecidedBy != s.author.UserID {
		t.Errorf("closed by %+v", c)
	}
	decide(of.ID, learning.ComplaintDismissed, learning.ErrComplaintRemoved)
	decide(dismissed.ID, learning.ComplaintDismissed, nil)
	if err := w.Platform.DeletePost(ctx(), s.author, s.postID); err != nil {
		t.Fatal(err)
	}
	w.wantComplaints(t, learning.ComplaintDismissed, learning.ComplaintRemoved)
	decide(dismissed.ID, learning.ComplaintRemoved, nil)
	w.wantComplaints(t, learning.ComplaintRemoved, learning.ComplaintRemoved)
	decide("none", learning.ComplaintRemoved, learning.ErrComplaintNotFound)
}

func TestComplaints_AreForAdmins(t *testing.T) {
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db")
	s := w.newSubject(t, "Gophers")
	c := w.complains(t, student("ada"), s.postID, "")
	for who, want := range map[learning.Actor]error{{}: learning.ErrUnauthenticated,
		student("ada"): learning.ErrForbidden, s.author: learning.ErrForbidden,
		{UserID: "ed", Role: learning.Educator}: learning.ErrForbidden} {
		_, err := w.Platform.Complaints(ctx(), who, "", learning.PageRequest{Limit: 1})
		if decided := w.Platform.DecideComplaint(ctx(), who, c.ID,
			learning.ComplaintRemoved); !errors.Is(err, want) || !errors.Is(decided, want) {
			t.Errorf("%v: %v, %v", who, err, decided)
		}
	}
	for _, limit := range []int{-1, 0, learning.MaxPageRows + 1} {
		if _, err := w.Platform.Complaints(ctx(), moderator, "",
			learning.PageRequest{Limit: limit}); !errors.Is(err, learning.ErrInvalidRequest) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

func TestDecideComplaint_BesideDeletionAndNewComplaints(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		two := [2]*fixture{w, w.otherInstance(t)}
		for range 10 {
			w.empty(t)
			s := w.newSubject(t, "Gophers")
			c := w.complains(t, student("ada"), s.postID, s.replyID)
			errs := concurrently(8, func(i int) (err error) {
				p := two[i%2].Platform
				switch i / 2 {
				case 0:
					err = p.DecideComplaint(ctx(), moderator, c.ID, learning.ComplaintRemoved)
				case 1:
					err = p.DeletePost(ctx(), s.author, s.postID)
				case 2:
					err = p.Complain(ctx(), student(string(rune('a'+i))), s.postID, s.replyID,
						"Rude")
				case 3:
					err = p.DeleteReply(ctx(), moderator, s.postID, s.replyID)
				}
				return err
			})
			for _, err := range errs {
				if !slices.Contains(expected, err) {
					t.Error(err)
				}
			}
			if n := w.count(t, "complaints WHERE status <> 'removed'"); n != 0 {
				t.Errorf("%d complaints about a deleted post are not closed", n)
			}
			w.wantCounted(t)
		}
	})
}

func TestDeleteReply_OnlyItsAuthorAndAdmins(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		s := w.newSubject(t, "Gophers")
		ada, eve := student("ada"), student("eve")
		first, second := w.newReply(t, ada, s.postID), w.newReply(t, ada, s.postID)
		if _, err := w.Platform.ToggleAccepted(ctx(), s.author, s.postID, first.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Platform.ToggleReplyVote(ctx(), eve, s.postID, first.ID); err != nil {
			t.Fatal(err)
		}
		before := w.dump(t)
		for who, want := range map[learning.Actor]error{eve: learning.ErrNotReplyAuthor,
			s.author:                                learning.ErrNotReplyAuthor,
			{UserID: "ed", Role: learning.Educator}: learning.ErrNotReplyAuthor} {
			if err := w.Platform.DeleteReply(ctx(), who, s.postID, first.ID); !errors.Is(err,
				want) {
				t.Errorf("%v: %v", who, err)
			}
		}
		if diff := cmp.Diff(before, w.dump(t)); diff != "" {
			t.Error(diff)
		}
		if err := errors.Join(w.Platform.DeleteReply(ctx(), ada, s.postID, first.ID),
			w.Platform.DeleteReply(ctx(), moderator, s.postID, second.ID)); err != nil {
			t.Fatal(err)
		}
		thread, err := w.Platform.Thread(ctx(), eve, s.postID)
		post := thread.Post
		if err != nil || post.Replies != 1 || post.AcceptedReplyID != "" || !post.Resolved {
			t.Errorf("%+v, %v", post, err)
		}
		if replies, err := rowsOf(thread.Replies, nil); err != nil || len(replies) != 1 ||
			replies[0].ID != s.replyID {
			t.Errorf("%+v, %v", replies, err)
		}
		if err := w.Platform.DeleteReply(ctx(), ada, s.postID, first.ID); !errors.Is(err,
			learning.ErrReplyNotFound) {
			t.Error(err)
		}
		w.wantCounted(t)
	})
}
