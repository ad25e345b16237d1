package main

import (
	"context"
	"fmt"

	"github.com/openlectern/openlectern/learning"
)

// community is what the demo's people have said to each other.
type community struct {
	Groups []group // the oldest first
	Posts  []post  // the oldest first
}

// group is one in the community; no two have the same name.
type group struct {
	moment
	By          string
	Name        string
	Description string
	Icon        string
	Official    bool
	Members     []string // beside the one who made it
}

// post is one in the community; nobody writes two of the same title.
type post struct {
	moment
	Author   string
	Group    string // its name; "" for none
	Title    string
	Content  string
	Tags     []string
	Upvotes  []string
	Resolved bool    // without a reply that was accepted
	Replies  []reply // the oldest first
}

// reply is one to a post; nobody writes the same twice.
type reply struct {
	moment
	Author   string
	Content  string
	Upvotes  []string
	Accepted bool // by the author of the post
}

// written names a post that is there already.
type written struct{ author, title string }

// discuss brings in groups and posts, each with what people made of it. What has no
// time of its own came at even distances between the thing it is about and now.
func (t *teller) discuss(ctx context.Context) error {
	groups, posts, err := t.discussed(ctx)
	if err != nil {
		return err
	}
	for _, g := range t.Groups {
		if groups[g.Name], err = t.gather(ctx, g, groups[g.Name]); err != nil {
			return fmt.Errorf("group %s: %w", g.Name, err)
		}
	}
	for _, p := range t.Posts {
		if err := t.converse(ctx, p, posts[written{p.Author, p.Title}], groups[p.Group]); err != nil {
			return fmt.Errorf("post %s: %w", p.Title, err)
		}
	}
	return nil
}

// discussed is the ids of groups and posts that are there.
func (t *teller) discussed(ctx context.Context) (groups map[string]string, posts map[written]string, err error) {
	list, err := t.past.Groups(ctx, learning.Actor{})
	if err != nil {
		return nil, nil, err
	}
	groups, posts = map[string]string{}, map[written]string{}
	err = list.Each(ctx, func(g learning.Group) error {
		groups[g.Name] = g.ID
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	all, err := t.past.Posts(ctx, learning.Actor{}, learning.PostQuery{})
	if err != nil {
		return nil, nil, err
	}
	err = all.Each(ctx, func(p learning.Post) error {
		posts[written{p.Author.ID, p.Title}] = p.ID
		return nil
	})
	return groups, posts, err
}

func demoActor(id string) learning.Actor {
	if id == demoAdmin {
		return learning.Actor{UserID: id, Role: learning.Admin}
	}
	return learning.Actor{UserID: id, Role: learning.Student}
}

// gather makes a group that is not there yet, and lets its members join.
func (t *teller) gather(ctx context.Context, g group, id string) (string, error) {
	if id == "" {
		t.clock.at = g.before(t.now)
		made, err := t.past.CreateGroup(ctx, demoActor(g.By), learning.NewGroup{
			Name: g.Name, Description: g.Description, Icon: g.Icon, Official: g.Official})
		if err != nil {
			return "", err
		}
		id = made.ID
	}
	for i, member := range g.Members {
		there, err := t.store.Group(ctx, id, member)
		if err == nil && !there.Joined {
			t.clock.at = g.since(t.now, i+1, len(g.Members)+1)
			_, err = t.past.ToggleMembership(ctx, demoActor(member), id)
		}
		if err != nil {
			return "", err
		}
	}
	return id, nil
}

// converse makes a post that is not there yet, with its replies and what became of it.
func (t *teller) converse(ctx context.Context, p post, id, groupID string) error {
	id, err := t.write(ctx, p, id, groupID)
	if err != nil {
		return err
	}
	err = t.vote(p.moment, p.Upvotes, func(voter learning.Actor) error {
		there, err := t.store.Post(ctx, id, voter.UserID)
		if err == nil && !there.Upvoted {
			_, _, err = t.past.TogglePostVote(ctx, voter, id)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, r := range p.Replies {
		if err := t.answer(ctx, p, id, r); err != nil {
			return fmt.Errorf("reply of %s: %w", r.Author, err)
		}
	}
	return t.resolve(ctx, p, id)
}

func (t *teller) write(ctx context.Context, p post, id, groupID string) (string, error) {
	if id != "" {
		return id, nil
	}
	t.clock.at = p.before(t.now)
	made, err := t.past.CreatePost(ctx, demoActor(p.Author), learning.NewPost{Title: p.Title, Content: p.Content, GroupID: groupID, Tags: p.Tags})
	return made.ID, err
}

// vote lets people vote one after the other.
func (t *teller) vote(since moment, voters []string, vote func(voter learning.Actor) error) error {
	for i, voter := range voters {
		t.clock.at = since.since(t.now, i+1, len(voters)+1)
		if err := vote(demoActor(voter)); err != nil {
			return fmt.Errorf("vote of %s: %w", voter, err)
		}
	}
	return nil
}

// answer makes a reply that is not there yet, with what people made of it.
func (t *teller) answer(ctx context.Context, p post, postID string, r reply) error {
	id, err := t.reply(ctx, postID, r)
	if err != nil {
		return err
	}
	err = t.vote(r.moment, r.Upvotes, func(voter learning.Actor) error {
		there, err := t.store.Reply(ctx, postID, id, voter.UserID)
		if err == nil && !there.Upvoted {
			_, _, err = t.past.ToggleReplyVote(ctx, voter, postID, id)
		}
		return err
	})
	if err != nil || !r.Accepted {
		return err
	}
	return t.accept(ctx, p, postID, r, id)
}

func (t *teller) reply(ctx context.Context, postID string, r reply) (id string, err error) {
	_, replies, err := t.past.Post(ctx, learning.Actor{}, postID)
	if err != nil {
		return "", err
	}
	there, err := replies.All(ctx)
	if err != nil {
		return "", err
	}
	for _, known := range there {
		if known.Author.ID == r.Author && known.Content == r.Content {
			return known.ID, nil
		}
	}
	t.clock.at = r.before(t.now)
	made, err := t.past.CreateReply(ctx, demoActor(r.Author), postID, r.Content)
	return made.ID, err
}

// accept lets the author of a post accept a reply, unless one was.
func (t *teller) accept(ctx context.Context, p post, postID string, r reply, replyID string) error {
	there, err := t.store.Post(ctx, postID, "")
	if err == nil && there.AcceptedReplyID == "" {
		t.clock.at = r.since(t.now, 1, 2)
		_, _, err = t.past.ToggleAccepted(ctx, demoActor(p.Author), postID, replyID)
	}
	return err
}

// resolve lets the author of a post say that it is resolved, unless it is.
func (t *teller) resolve(ctx context.Context, p post, id string) error {
	there, err := t.store.Post(ctx, id, "")
	if err == nil && p.Resolved && !there.Resolved {
		t.clock.at = p.since(t.now, 1, 2)
		_, err = t.past.ToggleResolved(ctx, demoActor(p.Author), id)
	}
	return err
}
