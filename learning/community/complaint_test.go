package community_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

func TestComplain_KeepsWhatWasReported(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		s, ada := w.NewSubject(t, "Gophers"), roomtest.Student("ada")
		long, err := w.Platform.Community.CreateReply(ctx(), s.Author, s.PostID,
			strings.Repeat("界", 201))
		if err != nil {
			t.Fatal(err)
		}
		c := w.Complains(t, ada, s.PostID, long.ID)
		want := community.Complaint{ID: c.ID, PostID: s.PostID, ReplyID: long.ID,
			AuthorID: s.Author.UserID, ReporterID: "ada",
			Reason: "Rude", Excerpt: strings.Repeat("界", 200),
			Status: community.ComplaintOpen, CreatedAt: w.Clock.Now()}
		if diff := cmp.Diff(want, c); diff != "" {
			t.Error(diff)
		}
		w.Complains(t, ada, s.PostID, "")
		w.Complains(t, ada, s.PostID, long.ID) // again
		w.Complains(t, roomtest.Student("eve"), s.PostID, long.ID)
		w.WantComplaints(t, community.ComplaintOpen, community.ComplaintOpen,
			community.ComplaintOpen)
		w.Apply(t, roomtest.Event(people.UserDeleted, 1))
		if n := w.Count(t, "complaints WHERE reporter_id = 'ada'"); n != 0 {
			t.Errorf("%d complaints have the id of a deleted user", n)
		}
		w.WantComplaints(t, community.ComplaintOpen, community.ComplaintOpen,
			community.ComplaintOpen)
	})
}

func TestComplain_Refusals(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	s := w.NewSubject(t, "Gophers")
	other := w.NewSubject(t, "Crabs")
	ada := roomtest.Student("ada")
	before := w.Dump(t)
	for what, tt := range map[string]struct {
		postID, replyID, reason string
		want                    error
	}{
		"no reason":          {s.PostID, "", " \n", core.ErrInvalidRequest},
		"a long reason":      {s.PostID, "", strings.Repeat("界", 501), core.ErrInvalidRequest},
		"unknown post":       {"none", "", "Rude", community.ErrPostNotFound},
		"malformed id":       {"\xff", "", "Rude", community.ErrPostNotFound},
		"unknown reply":      {s.PostID, "none", "Rude", community.ErrReplyNotFound},
		"reply of another":   {s.PostID, other.ReplyID, "Rude", community.ErrReplyNotFound},
		"reply of none":      {"none", s.ReplyID, "Rude", community.ErrPostNotFound},
		"malformed reply id": {s.PostID, "\xff", "Rude", community.ErrReplyNotFound},
	} {
		if err := w.Platform.Community.Complain(ctx(), ada, tt.postID, tt.replyID,
			tt.reason); !errors.Is(err,
			tt.want) {
			t.Errorf("%s: %v, want %v", what, err, tt.want)
		}
	}
	if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
		t.Error(diff)
	}
}

func TestDecideComplaint_EachOrder(t *testing.T) {
	const open, dismissed, removed = community.ComplaintOpen, community.ComplaintDismissed, community.ComplaintRemoved
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		for _, tt := range []struct {
			name      string
			decisions []community.ComplaintStatus
			err       error // of the last decision
			want      [3]community.ComplaintStatus
			posts     int
			replies   int
		}{
			{"dismissed", []community.ComplaintStatus{dismissed}, nil,
				[3]community.ComplaintStatus{open, open, dismissed}, 1, 1},
			{"dismissed twice", []community.ComplaintStatus{dismissed, dismissed}, nil,
				[3]community.ComplaintStatus{open, open, dismissed}, 1, 1},
			{"removed", []community.ComplaintStatus{removed}, nil,
				[3]community.ComplaintStatus{open, removed, removed}, 1, 0},
			{"removed twice", []community.ComplaintStatus{removed, removed}, nil,
				[3]community.ComplaintStatus{open, removed, removed}, 1, 0},
			{"dismissed, then removed", []community.ComplaintStatus{dismissed, removed}, nil,
				[3]community.ComplaintStatus{open, removed, removed}, 1, 0},
			{"removed, then dismissed", []community.ComplaintStatus{removed, dismissed},
				community.ErrComplaintRemoved, [3]community.ComplaintStatus{open, removed, removed},
				1, 0},
			{"opened", []community.ComplaintStatus{open}, core.ErrInvalidRequest,
				[3]community.ComplaintStatus{open, open, open}, 1, 1},
		} {
			w := roomtest.New(t, database)
			w.Empty(t)
			s := w.NewSubject(t, tt.name)
			c := w.Complains(t, roomtest.Student("ada"), s.PostID, s.ReplyID)
			w.Complains(t, roomtest.Student("eve"), s.PostID, s.ReplyID)
			w.Complains(t, roomtest.Student("eve"), s.PostID, "")
			var err error
			for _, status := range tt.decisions {
				err = w.Platform.Community.DecideComplaint(ctx(), roomtest.Moderator, c.ID, status)
			}
			if !errors.Is(err, tt.err) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.err)
			}
			w.WantComplaints(t, tt.want[:]...)
			if posts, replies := w.Count(t, "posts"),
				w.Count(t, "replies"); posts != tt.posts || replies != tt.replies {
				t.Errorf("%s: %d posts and %d replies", tt.name, posts, replies)
			}
		}
	})
}

func TestDecideComplaint_AboutAPost(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		s := w.NewSubject(t, "Gophers")
		c := w.Complains(t, roomtest.Student("ada"), s.PostID, "")
		w.Complains(t, roomtest.Student("ada"), s.PostID, s.ReplyID)
		if err := w.Platform.Community.DecideComplaint(ctx(), roomtest.Moderator, c.ID,
			community.ComplaintRemoved); err != nil {
			t.Fatal(err)
		}
		w.WantComplaints(t, community.ComplaintRemoved, community.ComplaintRemoved)
		if n := w.Count(t, "posts") + w.Count(t, "replies"); n != 0 {
			t.Errorf("%d posts and replies are left", n)
		}
	})
}

// A complaint about what its author has deleted is closed, and can be decided in neither way.
func TestDecideComplaint_TargetIsGone(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	s := w.NewSubject(t, "Gophers")
	of := w.Complains(t, roomtest.Student("ada"), s.PostID, s.ReplyID)
	dismissed := w.Complains(t, roomtest.Student("ada"), s.PostID, "")
	decide := func(id string, status community.ComplaintStatus, want error) {
		t.Helper()
		if err := w.Platform.Community.DecideComplaint(ctx(), roomtest.Moderator, id,
			status); !errors.Is(err,
			want) {
			t.Errorf("%s: %v, want %v", status, err, want)
		}
	}
	if err := w.Platform.Community.DeleteReply(ctx(), s.Author, s.PostID, s.ReplyID); err != nil {
		t.Fatal(err)
	}
	if c := w.Complaints(t, community.ComplaintRemoved); len(c) != 1 ||
		c[0].DecidedBy != s.Author.UserID {
		t.Errorf("closed by %+v", c)
	}
	decide(of.ID, community.ComplaintDismissed, community.ErrComplaintRemoved)
	decide(dismissed.ID, community.ComplaintDismissed, nil)
	if err := w.Platform.Community.DeletePost(ctx(), s.Author, s.PostID); err != nil {
		t.Fatal(err)
	}
	w.WantComplaints(t, community.ComplaintDismissed, community.ComplaintRemoved)
	decide(dismissed.ID, community.ComplaintRemoved, nil)
	w.WantComplaints(t, community.ComplaintRemoved, community.ComplaintRemoved)
	decide("none", community.ComplaintRemoved, community.ErrComplaintNotFound)
}

func TestComplaints_AreForAdmins(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	s := w.NewSubject(t, "Gophers")
	c := w.Complains(t, roomtest.Student("ada"), s.PostID, "")
	for who, want := range map[learning.Actor]error{{}: core.ErrUnauthenticated,
		roomtest.Student("ada"): core.ErrForbidden, s.Author: core.ErrForbidden,
		{UserID: "ed", Role: core.Educator}: core.ErrForbidden} {
		_, err := w.Platform.Community.Complaints(ctx(), who, "", learning.PageRequest{Limit: 1})
		if decided := w.Platform.Community.DecideComplaint(ctx(), who, c.ID,
			community.ComplaintRemoved); !errors.Is(err, want) || !errors.Is(decided, want) {
			t.Errorf("%v: %v, %v", who, err, decided)
		}
	}
	for _, limit := range []int{-1, 0, core.MaxPageRows + 1} {
		if _, err := w.Platform.Community.Complaints(ctx(), roomtest.Moderator, "",
			learning.PageRequest{Limit: limit}); !errors.Is(err, core.ErrInvalidRequest) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

func TestDecideComplaint_BesideDeletionAndNewComplaints(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		two := [2]*roomtest.World{w, w.OtherInstance(t)}
		for range 10 {
			w.Empty(t)
			s := w.NewSubject(t, "Gophers")
			c := w.Complains(t, roomtest.Student("ada"), s.PostID, s.ReplyID)
			errs := roomtest.Concurrently(8, func(i int) (err error) {
				p := two[i%2].Platform
				switch i / 2 {
				case 0:
					err = p.Community.DecideComplaint(ctx(), roomtest.Moderator, c.ID,
						community.ComplaintRemoved)
				case 1:
					err = p.Community.DeletePost(ctx(), s.Author, s.PostID)
				case 2:
					err = p.Community.Complain(ctx(), roomtest.Student(string(rune('a'+i))),
						s.PostID, s.ReplyID,
						"Rude")
				case 3:
					err = p.Community.DeleteReply(ctx(), roomtest.Moderator, s.PostID, s.ReplyID)
				}
				return err
			})
			for _, err := range errs {
				if !slices.Contains(expected, err) {
					t.Error(err)
				}
			}
			if n := w.Count(t, "complaints WHERE status <> 'removed'"); n != 0 {
				t.Errorf("%d complaints about a deleted post are not closed", n)
			}
			w.WantCounted(t)
		}
	})
}

func TestDeleteReply_OnlyItsAuthorAndAdmins(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		s := w.NewSubject(t, "Gophers")
		ada, eve := roomtest.Student("ada"), roomtest.Student("eve")
		first, second := w.NewReply(t, ada, s.PostID), w.NewReply(t, ada, s.PostID)
		if _, err := w.Platform.Community.ToggleAccepted(ctx(), s.Author, s.PostID,
			first.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Platform.Community.ToggleReplyVote(ctx(), eve, s.PostID,
			first.ID); err != nil {
			t.Fatal(err)
		}
		before := w.Dump(t)
		for who, want := range map[learning.Actor]error{eve: community.ErrNotReplyAuthor,
			s.Author:                            community.ErrNotReplyAuthor,
			{UserID: "ed", Role: core.Educator}: community.ErrNotReplyAuthor} {
			if err := w.Platform.Community.DeleteReply(ctx(), who, s.PostID,
				first.ID); !errors.Is(err,
				want) {
				t.Errorf("%v: %v", who, err)
			}
		}
		if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
			t.Error(diff)
		}
		if err := errors.Join(w.Platform.Community.DeleteReply(ctx(), ada, s.PostID, first.ID),
			w.Platform.Community.DeleteReply(ctx(), roomtest.Moderator, s.PostID,
				second.ID)); err != nil {
			t.Fatal(err)
		}
		thread, err := w.Platform.Community.Thread(ctx(), eve, s.PostID)
		post := thread.Post
		if err != nil || post.Replies != 1 || post.AcceptedReplyID != "" || !post.Resolved {
			t.Errorf("%+v, %v", post, err)
		}
		if replies, err := roomtest.RowsOf(thread.Replies, nil); err != nil || len(replies) != 1 ||
			replies[0].ID != s.ReplyID {
			t.Errorf("%+v, %v", replies, err)
		}
		if err := w.Platform.Community.DeleteReply(ctx(), ada, s.PostID, first.ID); !errors.Is(err,
			community.ErrReplyNotFound) {
			t.Error(err)
		}
		w.WantCounted(t)
	})
}
