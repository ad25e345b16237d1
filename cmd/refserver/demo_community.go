package main

import (
	"context"
	"fmt"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// conversations holds the groups and posts of the demo.
type conversations struct {
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
	Reports  []report
}

// report is what a user reports about a reply to the administrators.
type report struct{ By, Reason string }

// seedCommunity creates groups and posts, with members, votes and replies. Events without
// a time of their own are spread evenly between the time of their subject and now.
func (sd *seeder) seedCommunity(ctx context.Context) error {
	groups := map[string]string{} // ids by name
	for _, g := range sd.Groups {
		id, err := sd.seedGroup(ctx, g)
		if err != nil {
			return fmt.Errorf("group %s: %w", g.Name, err)
		}
		groups[g.Name] = id
	}
	// Posts name their group, which exists now.
	for _, p := range sd.Posts {
		if err := sd.seedPost(ctx, p, groups[p.Group]); err != nil {
			return fmt.Errorf("post %s: %w", p.Title, err)
		}
	}
	return nil
}

// demoActor returns the user of the demo with an id as the one who acts: the administrator, or else
// a student, whatever the user's role is.
func demoActor(id string) learning.Actor {
	if id == demoAdmin {
		return learning.Actor{UserID: id, Role: core.Admin}
	}
	return learning.Actor{UserID: id, Role: core.Student}
}

// seedGroup creates a group at its time, and lets its members join it one after another until now.
// It returns the id of the group.
func (sd *seeder) seedGroup(ctx context.Context, g group) (string, error) {
	sd.clock.at = g.date(sd.now) // the time at which the platform sd.past takes the next calls
	made, err := sd.past.Community.CreateGroup(ctx, demoActor(g.By), community.NewGroup{
		Name: g.Name, Description: g.Description, Icon: g.Icon, Official: g.Official})
	if err != nil {
		return "", err
	}
	return made.ID, sd.inTurn(g.moment, g.Members, func(member learning.Actor) error {
		// joins: nobody is a member yet
		_, err := sd.past.Community.ToggleMembership(ctx, member, made.ID)
		return err
	})
}

// seedPost creates a post with its votes and replies, in the group with groupID; "" for none.
func (sd *seeder) seedPost(ctx context.Context, p post, groupID string) error {
	sd.clock.at = p.date(sd.now)
	made, err := sd.past.Community.CreatePost(ctx, demoActor(p.Author),
		community.NewPost{Title: p.Title, Content: p.Content, GroupID: groupID, Tags: p.Tags})
	if err != nil {
		return err
	}
	// Then the votes, which no voter has given before, and replies, each with a time after the
	// post.
	err = sd.inTurn(p.moment, p.Upvotes, func(voter learning.Actor) error {
		_, err := sd.past.Community.TogglePostVote(ctx, voter, made.ID)
		return err
	})
	if err != nil {
		return err
	}
	for _, r := range p.Replies {
		if err := sd.seedReply(ctx, p, made.ID, r); err != nil {
			return fmt.Errorf("reply of %s: %w", r.Author, err)
		}
	}
	if !p.Resolved {
		return nil
	}
	// The author marks the post as resolved halfway between its time and now.
	sd.clock.at = p.between(sd.now, 1, 2)
	_, err = sd.past.Community.ToggleResolved(ctx, demoActor(p.Author), made.ID)
	return err
}

// inTurn calls act for each user in turn, with the clock of sd.past set to times that are spread
// evenly between start and now.
func (sd *seeder) inTurn(start moment, userIDs []string, act func(learning.Actor) error) error {
	for i, id := range userIDs {
		sd.clock.at = start.between(sd.now, i+1, len(userIDs)+1)
		if err := act(demoActor(id)); err != nil {
			return fmt.Errorf("user %s: %w", id, err)
		}
	}
	return nil
}

// seedReply creates a reply to p, whose id is postID, with its votes and reports. If the demo says
// so, the author of the post accepts it.
func (sd *seeder) seedReply(ctx context.Context, p post, postID string, r reply) error {
	sd.clock.at = r.date(sd.now)
	made, err := sd.past.Community.CreateReply(ctx, demoActor(r.Author), postID, r.Content)
	if err != nil {
		return err
	}
	// Then votes, complaints, and the acceptance by the author of the post.
	err = sd.inTurn(r.moment, r.Upvotes, func(voter learning.Actor) error {
		_, err := sd.past.Community.ToggleReplyVote(ctx, voter, postID, made.ID)
		return err
	})
	if err != nil {
		return err
	}
	sd.clock.at = r.between(sd.now, 1, 2) // halfway between its time and now
	for _, c := range r.Reports {
		if err := sd.past.Community.Complain(ctx, demoActor(c.By), postID, made.ID,
			c.Reason); err != nil {
			return fmt.Errorf("report of %s: %w", c.By, err)
		}
	}
	if !r.Accepted {
		return nil
	}
	_, err = sd.past.Community.ToggleAccepted(ctx, demoActor(p.Author), postID, made.ID)
	return err
}
