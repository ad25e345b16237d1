package roomtest

import (
	"testing"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// NewGroup creates a group.
func (w *World) NewGroup(t *testing.T, by core.Actor, name string) community.Group {
	t.Helper()
	g, err := w.Platform.Community.CreateGroup(ctx(), by, community.NewGroup{Name: name})
	if err != nil {
		t.Fatalf("create a group: %v", err)
	}
	return g
}

// NewPost creates a post in a group.
func (w *World) NewPost(t *testing.T, by core.Actor, groupID string) community.Post {
	t.Helper()
	p, err := w.Platform.Community.CreatePost(ctx(), by,
		community.NewPost{Title: "Why?", Content: "I do not see it.", GroupID: groupID})
	if err != nil {
		t.Fatalf("create a post: %v", err)
	}
	return p
}

// NewReply creates a reply to a post.
func (w *World) NewReply(t *testing.T, by core.Actor, postID string) community.Reply {
	t.Helper()
	r, err := w.Platform.Community.CreateReply(ctx(), by, postID, "Because.")
	if err != nil {
		t.Fatalf("create a reply: %v", err)
	}
	return r
}

// WantCounted checks the counters of all groups and posts.
func (w *World) WantCounted(t *testing.T) {
	t.Helper()
	for what, rows := range invariants.Community {
		if n := w.Count(t, rows); n != 0 {
			t.Errorf("%s: %d rows are wrong", what, n)
		}
	}
	w.WantRightTotals(t)
}

// Subject is a post or a reply that users can vote for.
type Subject struct {
	Author  core.Actor
	GroupID string
	PostID  string
	ReplyID string
}

// NewSubject creates a subject with a user, a group and a post.
func (w *World) NewSubject(t *testing.T, name string) Subject {
	t.Helper()
	author := Student("author")
	s := Subject{Author: author, GroupID: w.NewGroup(t, author, name).ID}
	s.PostID = w.NewPost(t, author, s.GroupID).ID
	s.ReplyID = w.NewReply(t, author, s.PostID).ID
	return s
}
