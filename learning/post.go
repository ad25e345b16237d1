package learning

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
)

// Post is a text or a question of a user in the community.
type Post struct {
	ID              string
	Title           string
	Content         string // unchanged, with any markup; a front end must escape it
	Tags            []string
	Author          Person // the ID must not be shown to other users
	Group           Group  // ID, Name, Slug and Icon; the zero Group for a post in none
	Upvotes         int
	Replies         int
	Resolved        bool
	AcceptedReplyID string // the reply that answers it; "" for none
	CreatedAt       time.Time
	UpdatedAt       time.Time

	Upvoted bool // whether the actor of the query has voted for it
}

// IsBy reports whether the actor wrote the post.
func (p Post) IsBy(a Actor) bool { return a.SignedIn() && p.Author.ID == a.UserID }

// PostTab is one of the lists of posts.
type PostTab string

// The lists of posts (docs/api.md §11).
const (
	AllPosts      PostTab = "all"      // the newest first
	TrendingPosts PostTab = "trending" // the most upvotes first, the newest first on a tie
	MyGroupsPosts PostTab = "myGroups" // those in the actor's groups, the newest first
)

// ParsePostTab returns the list with a name. It reports false, and the list is not to be used, if
// there is none.
func ParsePostTab(s string) (PostTab, bool) {
	tab := PostTab(s)
	return tab, tab == AllPosts || tab == TrendingPosts || tab == MyGroupsPosts
}

// PostQuery selects posts.
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

// NewPost is the input of [Platform.CreatePost].
type NewPost struct {
	Title   string
	Content string
	GroupID string   // "" for none
	Tags    []string // blank ones are dropped, the first five are kept, each cut to 30 code points
}

// normalized returns the post with trimmed texts and at most [MaxTags] tags. It returns
// [ErrInvalidRequest] if a limit is exceeded. It does not change n.
func (n NewPost) normalized() (NewPost, error) {
	n.Title = strings.TrimSpace(n.Title)
	n.Content = strings.TrimSpace(n.Content)
	n.Tags = normalizeTags(n.Tags)
	// The tags have the right length now: isText refuses those that a database cannot store.
	valid := isText(n.Title, 1, MaxPostTitle) && isText(n.Content, 1, MaxPostContent)
	for _, tag := range n.Tags {
		valid = valid && isText(tag, 1, MaxTag)
	}
	if !valid {
		return NewPost{}, ErrInvalidRequest
	}
	return n, nil
}

// normalizeTags returns the first [MaxTags] tags that are not blank, each trimmed and cut to
// [MaxTag] code points.
func normalizeTags(tags []string) []string {
	kept := make([]string, 0, MaxTags)
	for _, tag := range tags {
		if len(kept) == MaxTags {
			break
		}
		if tag = strings.TrimSpace(tag); tag != "" {
			tag = strings.TrimSpace(truncate(tag, MaxTag)) // the cut may leave a space at the end
			kept = append(kept, tag)
		}
	}
	return kept
}

// Thread is a post with the replies to it.
type Thread struct {
	Post    Post
	Replies iter.Seq2[Reply, error] // the accepted one first, then the oldest
}

// Thread returns a post with its replies. The actor need not be signed in. Error:
// [ErrPostNotFound].
func (p *Platform) Thread(ctx context.Context, actor Actor, postID string) (Thread, error) {
	post, err := p.store.Post(ctx, postID, actor.UserID)
	if errors.Is(err, ErrNoRecord) {
		return Thread{}, ErrPostNotFound
	}
	if err != nil {
		return Thread{}, fmt.Errorf("read a post: %w", err)
	}
	return Thread{Post: post, Replies: p.replies(ctx, actor, post)}, nil
}

// CreatePost creates a post. Errors: [ErrUnauthenticated], [ErrInvalidRequest],
// [ErrGroupNotFound].
func (p *Platform) CreatePost(ctx context.Context, actor Actor,
	n NewPost) (created Post, err error) {
	if err := actor.Require(); err != nil {
		return Post{}, err
	}
	if n, err = n.normalized(); err != nil {
		return Post{}, err
	}
	if n.GroupID != "" && !validID(n.GroupID, maxID) {
		return Post{}, ErrGroupNotFound
	}
	post := Post{
		ID: p.newID(), Title: n.Title, Content: n.Content, Tags: n.Tags,
		Author: Person{ID: actor.UserID},
		Group:  Group{ID: n.GroupID}, CreatedAt: p.now(), UpdatedAt: p.now(),
	}

	// Insert the post and count it: in the totals, and in its group.
	err = p.inTxEvents(ctx, func(tx Tx, changes *txChanges) error {
		changes.count(post.ID, Total{Kind: TotalPosts, Number: 1})
		if err := addToGroupPosts(ctx, tx, n.GroupID, 1); err != nil {
			return err
		}
		if err := tx.InsertPost(ctx, post); err != nil {
			return err
		}
		// Read it with the names of its author and its group.
		created, err = tx.Post(ctx, post.ID, actor.UserID)
		return err
	})
	return created, wrap("create a post", err)
}

// addToGroupPosts adds by to the number of posts of a group. It does nothing if groupID
// is "", for a post in none. Error: [ErrGroupNotFound].
func addToGroupPosts(ctx context.Context, tx Tx, groupID string, by int) error {
	if groupID == "" {
		return nil
	}
	found, err := tx.AddToPostCount(ctx, groupID, by)
	if err == nil && !found {
		return ErrGroupNotFound
	}
	return err
}

// ToggleResolved marks the actor's post as resolved, or as open if it is resolved. It
// reports whether it is resolved now. Errors: [ErrUnauthenticated], [ErrPostNotFound],
// [ErrNotPostAuthor].
func (p *Platform) ToggleResolved(ctx context.Context, actor Actor,
	id string) (resolved bool, err error) {
	err = p.withLockedPost(ctx, actor, id, func(tx Tx, _ *txChanges, post Post) error {
		if !post.IsBy(actor) {
			return ErrNotPostAuthor
		}
		resolved = !post.Resolved
		post.Resolved, post.UpdatedAt = resolved, p.now()
		return tx.UpdatePost(ctx, post)
	})
	return resolved, wrap("resolve a post", err)
}

// ToggleAccepted makes a reply the accepted reply of the actor's post, in place of any
// other, and resolves the post. If the reply is the accepted one, it is not accepted
// any more, and the post stays resolved or open. ToggleAccepted returns the changed post.
// Errors: [ErrUnauthenticated], [ErrPostNotFound], [ErrNotPostAuthor],
// [ErrReplyNotFound].
func (p *Platform) ToggleAccepted(ctx context.Context, actor Actor,
	id, replyID string) (changed Post, err error) {
	err = p.withLockedPost(ctx, actor, id, func(tx Tx, _ *txChanges, post Post) error {
		// Only the author of the post decides, and about a reply to it.
		if !post.IsBy(actor) {
			return ErrNotPostAuthor
		}
		if _, err := findReply(ctx, tx, post, replyID, actor); err != nil {
			return err
		}
		// Accepting resolves the post. Withdrawing leaves it as it is.
		if post.AcceptedReplyID == replyID {
			post.AcceptedReplyID = ""
		} else {
			post.AcceptedReplyID, post.Resolved = replyID, true
		}
		post.UpdatedAt = p.now()
		changed = post
		return tx.UpdatePost(ctx, post)
	})
	return changed, wrap("accept a reply", err)
}

// DeletePost removes a post with its replies and all votes. The actor must be its
// author or an admin. Errors: [ErrUnauthenticated], [ErrPostNotFound],
// [ErrNotPostAuthor].
func (p *Platform) DeletePost(ctx context.Context, actor Actor, id string) error {
	err := p.withLockedPost(ctx, actor, id, func(tx Tx, changes *txChanges, post Post) error {
		if !post.IsBy(actor) && actor.Role != Admin {
			return ErrNotPostAuthor
		}
		return p.removePost(ctx, tx, changes, actor, post)
	})
	return wrap("delete a post", err)
}

// removePost removes a post with its replies and all votes, and closes the complaints about
// them, in the name of actor. The post must be locked.
func (p *Platform) removePost(ctx context.Context, tx Tx, changes *txChanges, actor Actor,
	post Post) error {
	changes.count(post.ID, Total{Kind: TotalPosts, Number: -1})
	const replyID = "" // close the complaints about the post and all its replies
	closed := p.decision(actor, ComplaintRemoved)
	if err := tx.CloseComplaints(ctx, post.ID, replyID, closed); err != nil {
		return err
	}

	// Delete the votes for the post and its replies, then the replies, then the post.
	for _, remove := range []func(context.Context, string) error{tx.DeleteVotes, tx.DeleteReplies,
		tx.DeletePost} {
		if err := remove(ctx, post.ID); err != nil {
			return err
		}
	}
	return addToGroupPosts(ctx, tx, post.Group.ID, -1)
}

// withLockedPost runs fn in a transaction that holds the lock of a post, with the post as the actor
// sees it. All changes to the post, to its replies and to their votes take this lock, so that the
// deletion of a post leaves no replies or votes. It stores what fn collects in changes. Errors:
// [ErrUnauthenticated], [ErrPostNotFound], those of fn.
func (p *Platform) withLockedPost(ctx context.Context, actor Actor, id string,
	fn func(tx Tx, changes *txChanges, post Post) error) error {
	if err := actor.Require(); err != nil {
		return err
	}
	if !validID(id, maxID) {
		return ErrPostNotFound
	}
	return p.inTxEvents(ctx, func(tx Tx, changes *txChanges) error {
		// Lock the post before it is read.
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
		return fn(tx, changes, post)
	})
}
