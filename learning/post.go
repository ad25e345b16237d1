package learning

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Post is what somebody has to say or to ask.
type Post struct {
	ID              string
	Title           string
	Content         string // as it was written: who shows it makes it harmless
	Tags            []string
	Author          Person // whose ID is for nobody else
	Group           Group  // ID, Name, Slug and Icon; the zero Group for a post in none
	Upvotes         int
	Replies         int
	Resolved        bool
	AcceptedReplyID string // the reply that answers it; "" for none
	CreatedAt       time.Time
	UpdatedAt       time.Time

	Upvoted bool // whether the one who asks has
}

// IsBy tells whether an actor wrote the post.
func (p Post) IsBy(a Actor) bool { return a.SignedIn() && p.Author.ID == a.UserID }

// PostTab is one of the lists of posts.
type PostTab string

// The lists of posts (docs/api.md §11).
const (
	AllPosts      PostTab = "all"      // the newest first
	TrendingPosts PostTab = "trending" // the most upvotes first, the newest first on a tie
	MyGroupsPosts PostTab = "myGroups" // those in the groups of the one who asks, the newest first
)

// ParsePostTab reads the name of a list; false for a word that is none.
func ParsePostTab(s string) (PostTab, bool) {
	tab := PostTab(s)
	return tab, tab == AllPosts || tab == TrendingPosts || tab == MyGroupsPosts
}

// PostQuery says which posts are meant.
type PostQuery struct {
	Tab     PostTab
	GroupID string // only of this group; "" for all
}

// Limits of a post (docs/api.md §11), in code points.
const (
	MaxPostTitle   = 200
	MaxPostContent = 5_000
	MaxTags        = 5
	MaxTag         = 30
)

// NewPost is a post as somebody writes it.
type NewPost struct {
	Title   string
	Content string
	GroupID string   // "" for none
	Tags    []string // blank ones are dropped, the first five are kept, each cut to 30 code points
}

// normal is what is kept of a new post; [ErrInvalidRequest] when it breaks a limit. It
// leaves n as it is.
func (n NewPost) normal() (NewPost, error) {
	n.Title, n.Content, n.Tags = strings.TrimSpace(n.Title), strings.TrimSpace(n.Content), keptTags(n.Tags)
	if !isText(n.Title, 1, MaxPostTitle) || !isText(n.Content, 1, MaxPostContent) {
		return NewPost{}, ErrInvalidRequest
	}
	return n, nil
}

// keptTags returns the first [MaxTags] tags that are not blank, each trimmed and cut to
// [MaxTag] code points.
func keptTags(tags []string) []string {
	kept := make([]string, 0, MaxTags)
	for _, tag := range tags {
		if len(kept) == MaxTags {
			break
		}
		if tag = strings.TrimSpace(tag); tag != "" {
			kept = append(kept, strings.TrimSpace(truncate(tag, MaxTag)))
		}
	}
	return kept
}

// Post returns a post with its replies, the accepted one first, then the oldest, as the
// actor sees them, who need not be signed in. Error: [ErrPostNotFound].
func (p *Platform) Post(ctx context.Context, actor Actor, id string) (Post, *List[Reply], error) {
	post, err := p.store.Post(ctx, id, actor.UserID)
	if errors.Is(err, ErrNoRecord) {
		return Post{}, nil, ErrPostNotFound
	}
	if err != nil {
		return Post{}, nil, fmt.Errorf("read a post: %w", err)
	}
	return post, p.replies(actor, post), nil
}

// CreatePost posts. Errors: [ErrUnauthenticated], [ErrInvalidRequest],
// [ErrGroupNotFound].
func (p *Platform) CreatePost(ctx context.Context, actor Actor, n NewPost) (made Post, err error) {
	if err := actor.Require(); err != nil {
		return Post{}, err
	}
	if n, err = n.normal(); err != nil {
		return Post{}, err
	}
	if n.GroupID != "" && !validID(n.GroupID, maxID) {
		return Post{}, ErrGroupNotFound
	}
	post := Post{ID: p.newID(), Title: n.Title, Content: n.Content, Tags: n.Tags, Author: Person{ID: actor.UserID},
		Group: Group{ID: n.GroupID}, CreatedAt: p.now(), UpdatedAt: p.now()}
	err = p.inTxConfirm(ctx, func(tx Tx) error {
		if err := countPost(ctx, tx, n.GroupID, 1); err != nil {
			return err
		}
		if err := tx.InsertPost(ctx, post); err != nil {
			return err
		}
		made, err = tx.Post(ctx, post.ID, actor.UserID)
		return err
	}, func(ctx context.Context) bool {
		_, err := p.store.Post(ctx, post.ID, "")
		return err == nil
	})
	return made, wrap("create a post", err)
}

// countPost moves the counter of a post's group, if it is in one.
func countPost(ctx context.Context, tx Tx, groupID string, by int) error {
	if groupID == "" {
		return nil
	}
	found, err := tx.AddToPostCount(ctx, groupID, by)
	if err == nil && !found {
		return ErrGroupNotFound
	}
	return err
}

// ToggleResolved marks the actor's post as resolved, or as open again; it tells which.
// Errors: [ErrUnauthenticated], [ErrPostNotFound], [ErrNotPostAuthor].
func (p *Platform) ToggleResolved(ctx context.Context, actor Actor, id string) (resolved bool, err error) {
	err = p.onPost(ctx, actor, id, func(tx Tx, post Post) error {
		if !post.IsBy(actor) {
			return ErrNotPostAuthor
		}
		resolved = !post.Resolved
		post.Resolved, post.UpdatedAt = resolved, p.now()
		return tx.MarkPost(ctx, post)
	}, func(_ context.Context, now Post) bool { return now.Resolved == resolved })
	return resolved, wrap("resolve a post", err)
}

// ToggleAccepted makes a reply the accepted answer of the actor's post, in the place
// of any other, and resolves the post; or it takes that back, which leaves the post as
// it is. It tells what is so now. Errors: [ErrUnauthenticated], [ErrPostNotFound],
// [ErrNotPostAuthor], [ErrReplyNotFound].
func (p *Platform) ToggleAccepted(ctx context.Context, actor Actor, id, replyID string) (accepted, resolved bool, err error) {
	var want Post
	err = p.onPost(ctx, actor, id, func(tx Tx, post Post) error {
		if !post.IsBy(actor) {
			return ErrNotPostAuthor
		}
		if _, err := replyTo(ctx, tx, post, replyID, actor); err != nil {
			return err
		}
		if post.AcceptedReplyID == replyID {
			post.AcceptedReplyID = ""
		} else {
			post.AcceptedReplyID, post.Resolved = replyID, true
		}
		post.UpdatedAt = p.now()
		want = post
		return tx.MarkPost(ctx, post)
	}, func(_ context.Context, now Post) bool {
		return now.AcceptedReplyID == want.AcceptedReplyID && now.Resolved == want.Resolved
	})
	return want.AcceptedReplyID == replyID, want.Resolved, wrap("accept a reply", err)
}

// DeletePost removes a post with its replies and all votes, for its author or an
// admin. Errors: [ErrUnauthenticated], [ErrPostNotFound], [ErrNotPostAuthor].
func (p *Platform) DeletePost(ctx context.Context, actor Actor, id string) error {
	err := p.onPost(ctx, actor, id, func(tx Tx, post Post) error {
		if !post.IsBy(actor) && actor.Role != Admin {
			return ErrNotPostAuthor
		}
		for _, remove := range []func(context.Context, string) error{tx.DeleteVotes, tx.DeleteReplies, tx.DeletePost} {
			if err := remove(ctx, id); err != nil {
				return err
			}
		}
		return countPost(ctx, tx, post.Group.ID, -1)
	}, func(_ context.Context, now Post) bool { return now.ID == "" })
	return wrap("delete a post", err)
}

// onPost runs fn in a transaction that has a post to itself: whatever is done to it,
// to its replies and to their votes takes its turn, so that a post that is deleted
// leaves nothing behind. done tells, of the post as it is now, or of the zero Post
// when it is gone, whether fn has taken effect.
func (p *Platform) onPost(ctx context.Context, actor Actor, id string, fn func(tx Tx, post Post) error, done func(ctx context.Context, now Post) bool) error {
	if err := actor.Require(); err != nil {
		return err
	}
	if !validID(id, maxID) {
		return ErrPostNotFound
	}
	return p.inTxConfirm(ctx, func(tx Tx) error {
		if err := tx.LockPost(ctx, id); err != nil {
			return err
		}
		post, err := tx.Post(ctx, id, actor.UserID)
		if errors.Is(err, ErrNoRecord) {
			return ErrPostNotFound
		}
		if err != nil {
			return err
		}
		return fn(tx, post)
	}, func(ctx context.Context) bool {
		now, err := p.store.Post(ctx, id, actor.UserID)
		return (err == nil || errors.Is(err, ErrNoRecord)) && done(ctx, now)
	})
}
