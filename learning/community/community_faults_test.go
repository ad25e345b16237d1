package community_test

import (
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
)

// communityFaults are the operations of the community, with the steps at which a fault must
// have happened, and the expected rows after n successful calls.
var communityFaults = map[string]struct {
	before func(t *testing.T, w roomtest.FaultRun, s roomtest.Subject)
	do     func(p *learning.Platform, s roomtest.Subject, id string) error
	rows   string // of the post, the group or the user; see wantRows
	want   func(n int) int
	steps  []string
}{
	"a group": {
		do: func(p *learning.Platform, _ roomtest.Subject, id string) error {
			_, err := p.Community.CreateGroup(ctx(), roomtest.Student("ada"),
				community.NewGroup{Name: "New " + id})
			return orDone(err, community.ErrGroupExists)
		},
		rows: "community_groups g WHERE SUBSTR(g.name, 5) = ? AND EXISTS (SELECT 1 FROM " +
			"memberships m WHERE m.group_id = g.id AND m.user_id = 'ada')",
		want: atMostOne, steps: []string{"insert a group", "insert a membership"},
	},
	"a post": {
		do: func(p *learning.Platform, s roomtest.Subject, id string) error {
			made, err := p.Community.CreatePost(ctx(), roomtest.Student("ada"),
				community.NewPost{Title: "t", Content: id, GroupID: s.GroupID})
			if err == nil && (made.Content != id || made.Author.Name == "" ||
				made.Group.Name == "") {
				return roomtest.ErrInjected
			}
			return err
		},
		rows: "posts WHERE content = ?", want: each,
		steps: []string{"count a post", "insert a post", "read a post"},
	},
	"a reply": {
		do: func(p *learning.Platform, s roomtest.Subject, id string) error {
			made, err := p.Community.CreateReply(ctx(), roomtest.Student("ada"), s.PostID, id)
			if err == nil && (made.Content != id || made.Author.Name == "") {
				return roomtest.ErrInjected
			}
			return err
		},
		rows: "replies WHERE content = ?", want: each,
		steps: []string{"count a reply", "insert a reply", "read a reply"},
	},
	"a vote": {
		do: func(p *learning.Platform, s roomtest.Subject, id string) error {
			_, err := p.Community.TogglePostVote(ctx(), roomtest.Student(id), s.PostID)
			return err
		},
		rows: "votes WHERE user_id = ? AND reply_id = ''", want: odd,
		steps: []string{"lock a post", "read a post", "insert a vote", "count a vote for a post"},
	},
	"a vote taken back": {
		before: func(t *testing.T, w roomtest.FaultRun, s roomtest.Subject) {
			toggled(t, w, s,
				"post vote")
		},
		do: func(p *learning.Platform, s roomtest.Subject, id string) error {
			_, err := p.Community.TogglePostVote(ctx(), roomtest.Student(id), s.PostID)
			return err
		},
		rows: "votes WHERE user_id = ? AND reply_id = ''", want: even,
		steps: []string{"lock a post", "read a post", "delete a vote", "count a vote for a post"},
	},
	"a vote for a reply": {
		do: func(p *learning.Platform, s roomtest.Subject, id string) error {
			_, err := p.Community.ToggleReplyVote(ctx(), roomtest.Student(id), s.PostID, s.ReplyID)
			return err
		},
		rows: "votes WHERE user_id = ? AND reply_id <> ''", want: odd,
		steps: []string{"lock a post", "read a post", "read a reply", "insert a vote",
			"count a vote for a reply"},
	},
	"joining": {
		do: func(p *learning.Platform, s roomtest.Subject, id string) error {
			_, err := p.Community.ToggleMembership(ctx(), roomtest.Student(id), s.GroupID)
			return err
		},
		rows: "memberships WHERE user_id = ?", want: odd,
		steps: []string{"lock a group", "read a group", "insert a membership", "count a member"},
	},
	"leaving": {
		before: func(t *testing.T, w roomtest.FaultRun, s roomtest.Subject) {
			toggled(t, w, s,
				"membership")
		},
		do: func(p *learning.Platform, s roomtest.Subject, id string) error {
			_, err := p.Community.ToggleMembership(ctx(), roomtest.Student(id), s.GroupID)
			return err
		},
		rows: "memberships WHERE user_id = ?", want: even,
		steps: []string{"lock a group", "read a group", "delete a membership", "count a member"},
	},
	"resolving": {
		do: func(p *learning.Platform, s roomtest.Subject, _ string) error {
			_, err := p.Community.ToggleResolved(ctx(), s.Author, s.PostID)
			return err
		},
		rows: "posts p JOIN community_groups g ON g.id = p.group_id WHERE g.name = ? AND " +
			"p.is_resolved = 1", want: odd,
		steps: []string{"lock a post", "read a post", "mark a post"},
	},
	"accepting": {
		do: func(p *learning.Platform, s roomtest.Subject, _ string) error {
			_, err := p.Community.ToggleAccepted(ctx(), s.Author, s.PostID, s.ReplyID)
			return err
		},
		rows: "posts p JOIN community_groups g ON g.id = p.group_id WHERE g.name = ? AND " +
			"p.is_resolved = 1 AND p.accepted_reply_id IS NOT NULL", want: odd,
		steps: []string{"lock a post", "read a post", "read a reply", "mark a post"},
	},
	"deleting a reply": {
		before: func(t *testing.T, w roomtest.FaultRun, s roomtest.Subject) {
			toggled(t, w, s, "reply vote",
				"acceptance")
		},
		do: func(p *learning.Platform, s roomtest.Subject, _ string) error {
			return orDone(p.Community.DeleteReply(ctx(), s.Author, s.PostID, s.ReplyID),
				community.ErrReplyNotFound)
		},
		rows: "posts p JOIN community_groups g ON g.id = p.group_id WHERE g.name = ? AND " +
			"(p.replies > 0 OR p.accepted_reply_id IS NOT NULL)", want: func(int) int { return 0 },
		steps: []string{"lock a post", "read a post", "read a reply", "mark a post",
			"close complaints", "delete the votes of a reply", "delete a reply", "count a reply"},
	},
	"complaining": {
		do: func(p *learning.Platform, s roomtest.Subject, id string) error {
			return p.Community.Complain(ctx(), roomtest.Student(id), s.PostID, s.ReplyID, "Rude")
		},
		rows: "complaints WHERE reporter_id = ?", want: atMostOne,
		steps: []string{"lock a post", "read a post", "read a reply", "insert a complaint"},
	},
	"deleting": {
		before: func(t *testing.T, w roomtest.FaultRun, s roomtest.Subject) {
			toggled(t, w, s, "post vote",
				"reply vote", "acceptance")
		},
		do: func(p *learning.Platform, s roomtest.Subject, _ string) error {
			return orDone(p.Community.DeletePost(ctx(), s.Author, s.PostID),
				community.ErrPostNotFound)
		},
		rows: "posts p JOIN community_groups g ON g.id = p.group_id WHERE g.name = ?",
		want: func(int) int { return 0 },
		steps: []string{"lock a post", "read a post", "close complaints",
			"delete the votes of posts", "delete the replies to posts", "delete posts",
			"count a post"},
	},
}

func each(n int) int      { return n }
func atMostOne(n int) int { return min(n, 1) }
func odd(n int) int       { return n % 2 }
func even(n int) int      { return 1 - n%2 }

// orDone ignores the error that an operation was done before.
func orDone(err, done error) error {
	if err == done {
		return nil
	}
	return err
}

func toggled(t *testing.T, w roomtest.FaultRun, s roomtest.Subject, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := toggles[name](w.Platform, s, roomtest.Student(w.ID)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCommunity_FaultAtEachStep(t *testing.T) {
	for name, fault := range communityFaults {
		t.Run(name, func(t *testing.T) {
			var s roomtest.Subject
			succeeded := map[string]int{}
			run := &roomtest.Scenario{
				Prepare: func(t *testing.T, w roomtest.FaultRun) {
					s, succeeded[w.ID] = w.NewSubject(t, w.ID), 0
					if fault.before != nil {
						fault.before(t, w, s)
					}
				},
				Do: func(t *testing.T, w roomtest.FaultRun) error {
					err := fault.do(w.Platform, s, w.ID)
					if err == nil {
						succeeded[w.ID]++
					}
					return err
				},
				Check: func(t *testing.T, w roomtest.FaultRun) {
					if n, want := w.Count(t, fault.rows, w.ID),
						fault.want(succeeded[w.ID]); n != want {
						t.Errorf("%d rows after %d successful calls, want %d", n, succeeded[w.ID],
							want)
					}
					if w.Lost && succeeded[w.ID] != 2 {
						t.Errorf("the operation failed after a lost answer to COMMIT")
					}
					w.WantCounted(t)
				},
				Steps: fault.steps,
			}
			roomtest.OnEnginesRepeatedly(t, run.Run)
		})
	}
}
