package learning_test

import (
	"testing"

	"github.com/openlectern/openlectern/learning"
)

// communityFaults are the operations of the community, with the steps at which a fault must
// have happened, and the expected rows after n successful calls.
var communityFaults = map[string]struct {
	before func(t *testing.T, w faultRun, s subject)
	do     func(p *learning.Platform, s subject, id string) error
	rows   string // of the post, the group or the user; see wantRows
	want   func(n int) int
	steps  []string
}{
	"a group": {
		do: func(p *learning.Platform, _ subject, id string) error {
			_, err := p.CreateGroup(ctx(), student("ada"), learning.NewGroup{Name: "New " + id})
			return orDone(err, learning.ErrGroupExists)
		},
		rows: "community_groups g WHERE SUBSTR(g.name, 5) = ? AND EXISTS (SELECT 1 FROM " +
			"memberships m WHERE m.group_id = g.id AND m.user_id = 'ada')",
		want: atMostOne, steps: []string{"insert a group", "insert a membership"},
	},
	"a post": {
		do: func(p *learning.Platform, s subject, id string) error {
			made, err := p.CreatePost(ctx(), student("ada"),
				learning.NewPost{Title: "t", Content: id, GroupID: s.groupID})
			if err == nil && (made.Content != id || made.Author.Name == "" ||
				made.Group.Name == "") {
				return errInjected
			}
			return err
		},
		rows: "posts WHERE content = ?", want: each,
		steps: []string{"count a post", "insert a post", "read a post"},
	},
	"a reply": {
		do: func(p *learning.Platform, s subject, id string) error {
			made, err := p.CreateReply(ctx(), student("ada"), s.postID, id)
			if err == nil && (made.Content != id || made.Author.Name == "") {
				return errInjected
			}
			return err
		},
		rows: "replies WHERE content = ?", want: each,
		steps: []string{"count a reply", "insert a reply", "read a reply"},
	},
	"a vote": {
		do: func(p *learning.Platform, s subject, id string) error {
			_, err := p.TogglePostVote(ctx(), student(id), s.postID)
			return err
		},
		rows: "votes WHERE user_id = ? AND reply_id = ''", want: odd,
		steps: []string{"lock a post", "read a post", "insert a vote", "count a vote for a post"},
	},
	"a vote taken back": {
		before: func(t *testing.T, w faultRun, s subject) { toggled(t, w, s, "post vote") },
		do: func(p *learning.Platform, s subject, id string) error {
			_, err := p.TogglePostVote(ctx(), student(id), s.postID)
			return err
		},
		rows: "votes WHERE user_id = ? AND reply_id = ''", want: even,
		steps: []string{"lock a post", "read a post", "delete a vote", "count a vote for a post"},
	},
	"a vote for a reply": {
		do: func(p *learning.Platform, s subject, id string) error {
			_, err := p.ToggleReplyVote(ctx(), student(id), s.postID, s.replyID)
			return err
		},
		rows: "votes WHERE user_id = ? AND reply_id <> ''", want: odd,
		steps: []string{"lock a post", "read a post", "read a reply", "insert a vote",
			"count a vote for a reply"},
	},
	"joining": {
		do: func(p *learning.Platform, s subject, id string) error {
			_, err := p.ToggleMembership(ctx(), student(id), s.groupID)
			return err
		},
		rows: "memberships WHERE user_id = ?", want: odd,
		steps: []string{"lock a group", "read a group", "insert a membership", "count a member"},
	},
	"leaving": {
		before: func(t *testing.T, w faultRun, s subject) { toggled(t, w, s, "membership") },
		do: func(p *learning.Platform, s subject, id string) error {
			_, err := p.ToggleMembership(ctx(), student(id), s.groupID)
			return err
		},
		rows: "memberships WHERE user_id = ?", want: even,
		steps: []string{"lock a group", "read a group", "delete a membership", "count a member"},
	},
	"resolving": {
		do: func(p *learning.Platform, s subject, _ string) error {
			_, err := p.ToggleResolved(ctx(), s.author, s.postID)
			return err
		},
		rows: "posts p JOIN community_groups g ON g.id = p.group_id WHERE g.name = ? AND " +
			"p.is_resolved = 1", want: odd,
		steps: []string{"lock a post", "read a post", "mark a post"},
	},
	"accepting": {
		do: func(p *learning.Platform, s subject, _ string) error {
			_, err := p.ToggleAccepted(ctx(), s.author, s.postID, s.replyID)
			return err
		},
		rows: "posts p JOIN community_groups g ON g.id = p.group_id WHERE g.name = ? AND " +
			"p.is_resolved = 1 AND p.accepted_reply_id IS NOT NULL", want: odd,
		steps: []string{"lock a post", "read a post", "read a reply", "mark a post"},
	},
	"deleting a reply": {
		before: func(t *testing.T, w faultRun, s subject) {
			toggled(t, w, s, "reply vote",
				"acceptance")
		},
		do: func(p *learning.Platform, s subject, _ string) error {
			return orDone(p.DeleteReply(ctx(), s.author, s.postID, s.replyID),
				learning.ErrReplyNotFound)
		},
		rows: "posts p JOIN community_groups g ON g.id = p.group_id WHERE g.name = ? AND " +
			"(p.replies > 0 OR p.accepted_reply_id IS NOT NULL)", want: func(int) int { return 0 },
		steps: []string{"lock a post", "read a post", "read a reply", "mark a post",
			"close complaints", "delete the votes of a reply", "delete a reply", "count a reply"},
	},
	"complaining": {
		do: func(p *learning.Platform, s subject, id string) error {
			return p.Complain(ctx(), student(id), s.postID, s.replyID, "Rude")
		},
		rows: "complaints WHERE reporter_id = ?", want: atMostOne,
		steps: []string{"lock a post", "read a post", "read a reply", "insert a complaint"},
	},
	"deleting": {
		before: func(t *testing.T, w faultRun, s subject) {
			toggled(t, w, s, "post vote",
				"reply vote", "acceptance")
		},
		do: func(p *learning.Platform, s subject, _ string) error {
			return orDone(p.DeletePost(ctx(), s.author, s.postID), learning.ErrPostNotFound)
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

func toggled(t *testing.T, w faultRun, s subject, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := toggles[name](w.Platform, s, student(w.id)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCommunity_FaultAtEachStep(t *testing.T) {
	for name, fault := range communityFaults {
		t.Run(name, func(t *testing.T) {
			var s subject
			succeeded := map[string]int{}
			run := &scenario{
				prepare: func(t *testing.T, w faultRun) {
					s, succeeded[w.id] = w.newSubject(t, w.id), 0
					if fault.before != nil {
						fault.before(t, w, s)
					}
				},
				do: func(t *testing.T, w faultRun) error {
					err := fault.do(w.Platform, s, w.id)
					if err == nil {
						succeeded[w.id]++
					}
					return err
				},
				check: func(t *testing.T, w faultRun) {
					if n, want := w.count(t, fault.rows, w.id),
						fault.want(succeeded[w.id]); n != want {
						t.Errorf("%d rows after %d successful calls, want %d", n, succeeded[w.id],
							want)
					}
					if w.lost && succeeded[w.id] != 2 {
						t.Errorf("the operation failed after a lost answer to COMMIT")
					}
					w.wantCounted(t)
				},
				steps: fault.steps,
			}
			onEnginesRepeatedly(t, run.run)
		})
	}
}
