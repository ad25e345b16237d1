package main

import (
	"context"
	"fmt"

	"github.com/openlectern/openlectern/learning"
)

// community holds the groups and posts of the demo.
type community struct {
	Groups []group // the oldest first
	Posts  []post  // the oldest first
}

// group is a group of the community. Its name is unique.
type group struct {
	moment
	By          string
	Name        string
	Description string
	Icon        string
	Official    bool
	Members     []string // in addition to the creator
}

// post is a post in the community. Author and title together are unique.
type post struct {
	moment
	Author   string
	Group    string // its name; "" for none
	Title    string
	Content  string
	Tags     []string
	Upvotes  []string
	Resolved bool    // without an accepted reply
	Replies  []reply // the oldest first
}

// reply is a reply to a post. Author and content together are unique.
type reply struct {
	moment
	Author   string
	Content  string
	Upvotes  []string
	Accepted bool // by the author of the post
}

// postKey identifies a post of the demo.
type postKey struct{ author, title string }

// seedCommunity creates groups and posts, with members, votes and replies. Events without
// a time of their own are spread evenly between the time of their subject and now.
func (sd *seeder) seedCommunity(ctx context.Context) error {
	groups, posts, err := sd.existingCommunity(ctx)
	if err != nil {
		return err
	}
	for _, g := range sd.Groups {
		if groups[g.Name], err = sd.seedGroup(ctx, g, groups[g.Name]); err != nil {
			return fmt.Errorf("group %s: %w", g.Name, err)
		}
	}
	for _, p := range sd.Posts {
		if err := sd.seedPost(ctx, p, posts[postKey{p.Author, p.Title}], groups[p.Group]); err != nil {
			return fmt.Errorf("post %s: %w", p.Title, err)
		}
	}
	return nil
}

// existingCommunity returns the ids of the groups and posts that exist.
func (sd *seeder) existingCommunity(ctx context.Context) (groups map[string]string, posts map[postKey]string, err error) {
	list, err := sd.past.Groups(ctx, learning.Actor{})
	if err != nil {
		return nil, nil, err
	}
	groups, posts = map[string]string{}, map[postKey]string{}
	err = list.Each(ctx, func(g learning.Group) error {
		groups[g.Name] = g.ID
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	all, err := sd.past.Posts(ctx, learning.Actor{}, learning.PostQuery{})
	if err != nil {
		return nil, nil, err
	}
	err = all.Each(ctx, func(p learning.Post) error {
		posts[postKey{p.Author.ID, p.Title}] = p.ID
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

// seedGroup creates a group unless it exists (id is not empty), and its memberships. It
// returns the id of the group.
func (sd *seeder) seedGroup(ctx context.Context, g group, id string) (string, error) {
	if id == "" {
		sd.clock.at = g.date(sd.now)
		made, err := sd.past.CreateGroup(ctx, demoActor(g.By), learning.NewGroup{
			Name: g.Name, Description: g.Description, Icon: g.Icon, Official: g.Official})
		if err != nil {
			return "", err
		}
		id = made.ID
	}
	for i, member := range g.Members {
		existing, err := sd.store.Group(ctx, id, member)
		if err == nil && !existing.Joined {
			sd.clock.at = g.between(sd.now, i+1, len(g.Members)+1)
			_, err = sd.past.ToggleMembership(ctx, demoActor(member), id)
		}
		if err != nil {
			return "", err
		}
	}
	return id, nil
}

// seedPost creates a post unless it exists, with its votes and replies.
func (sd *seeder) seedPost(ctx context.Context, p post, id, groupID string) error {
	id, err := sd.ensurePost(ctx, p, id, groupID)
	if err != nil {
		return err
	}
	err = sd.castVotes(p.moment, p.Upvotes, func(voter learning.Actor) error {
		existing, err := sd.store.Post(ctx, id, voter.UserID)
		if err == nil && !existing.Upvoted {
			_, _, err = sd.past.TogglePostVote(ctx, voter, id)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, r := range p.Replies {
		if err := sd.seedReply(ctx, p, id, r); err != nil {
			return fmt.Errorf("reply of %s: %w", r.Author, err)
		}
	}
	return sd.resolvePost(ctx, p, id)
}

func (sd *seeder) ensurePost(ctx context.Context, p post, id, groupID string) (string, error) {
	if id != "" {
		return id, nil
	}
	sd.clock.at = p.date(sd.now)
	made, err := sd.past.CreatePost(ctx, demoActor(p.Author), learning.NewPost{Title: p.Title, Content: p.Content, GroupID: groupID, Tags: p.Tags})
	return made.ID, err
}

// castVotes calls vote for each voter in turn.
func (sd *seeder) castVotes(start moment, voters []string, vote func(voter learning.Actor) error) error {
	for i, voter := range voters {
		sd.clock.at = start.between(sd.now, i+1, len(voters)+1)
		if err := vote(demoActor(voter)); err != nil {
			return fmt.Errorf("vote of %s: %w", voter, err)
		}
	}
	return nil
}

// seedReply creates a reply unless it exists, with its votes.
func (sd *seeder) seedReply(ctx context.Context, p post, postID string, r reply) error {
	id, err := sd.ensureReply(ctx, postID, r)
	if err != nil {
		return err
	}
	err = sd.castVotes(r.moment, r.Upvotes, func(voter learning.Actor) error {
		existing, err := sd.store.Reply(ctx, postID, id, voter.UserID)
		if err == nil && !existing.Upvoted {
			_, _, err = sd.past.ToggleReplyVote(ctx, voter, postID, id)
		}
		return err
	})
	if err != nil || !r.Accepted {
		return err
	}
	return sd.acceptReply(ctx, p, postID, r, id)
}

func (sd *seeder) ensureReply(ctx context.Context, postID string, r reply) (id string, err error) {
	_, replies, err := sd.past.Post(ctx, learning.Actor{}, postID)
	if err != nil {
		return "", err
	}
	existing, err := replies.All(ctx)
	if err != nil {
		return "", err
	}
	for _, known := range existing {
		if known.Author.ID == r.Author && known.Content == r.Content {
			return known.ID, nil
		}
	}
	sd.clock.at = r.date(sd.now)
	made, err := sd.past.CreateReply(ctx, demoActor(r.Author), postID, r.Content)
	return made.ID, err
}

// acceptReply accepts a reply as the author of the post, unless the post has an accepted
// reply.
func (sd *seeder) acceptReply(ctx context.Context, p post, postID string, r reply, replyID string) error {
	existing, err := sd.store.Post(ctx, postID, "")
	if err == nil && existing.AcceptedReplyID == "" {
		sd.clock.at = r.between(sd.now, 1, 2)
		_, _, err = sd.past.ToggleAccepted(ctx, demoActor(p.Author), postID, replyID)
	}
	return err
}

// resolvePost marks a post as resolved as its author, unless it is resolved.
func (sd *seeder) resolvePost(ctx context.Context, p post, id string) error {
	existing, err := sd.store.Post(ctx, id, "")
	if err == nil && p.Resolved && !existing.Resolved {
		sd.clock.at = p.between(sd.now, 1, 2)
		_, err = sd.past.ToggleResolved(ctx, demoActor(p.Author), id)
	}
	return err
}
