package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/community"
)

// groupJSON is a group of the community (docs/api.md §11).
type groupJSON struct {
	ID          string  `json:"_id"`
	Name        string  `json:"name" doc:"Plain text. It is unique without regard to case."`
	Slug        string  `json:"slug"`
	Description string  `json:"description" doc:"What it is about, plain text. It may be empty."`
	Icon        string  `json:"icon" doc:"An emoji or a short text."`
	Members     int     `json:"memberCount"`
	Posts       int     `json:"postCount"`
	Official    bool    `json:"isOfficial" doc:"Whether the school has created the group."`
	CreatedAt   instant `json:"createdAt"`
	UpdatedAt   instant `json:"updatedAt"`
	Joined      bool    `json:"isMember"`
}

// groupOf returns the wire shape of a group.
func groupOf(g community.Group) groupJSON {
	return groupJSON{
		ID:          g.ID,
		Name:        g.Name,
		Slug:        g.Slug,
		Description: g.Description,
		Icon:        g.Icon,
		Members:     g.Members,
		Posts:       g.Posts,
		Official:    g.Official,
		CreatedAt:   instant(g.CreatedAt),
		UpdatedAt:   instant(g.UpdatedAt),
		Joined:      g.Joined,
	}
}

type groupsAnswer struct {
	Groups []groupJSON `json:"groups" doc:"Official ones first, then by number of members."`
}

// listGroups answers all groups.
func (a *api) listGroups(w http.ResponseWriter, c *call) error {
	list, err := a.platform.Community.Groups(c.Context(), c.actor)
	if err != nil {
		return err
	}
	return writeList(w, c, "groups", list.All, list.Held, shapeInPlace(groupOf), nil)
}

type groupRequest struct {
	Name        string `json:"name" jsonschema:"minLength=1,maxLength=60" doc:"The name of the group. It must be unique without regard to case."`
	Description string `json:"description,omitempty" jsonschema:"maxLength=200" doc:"What it is about."`
	Icon        string `json:"icon,omitempty" doc:"An emoji or a text of at most 16 characters. Without it: 💬."`
}

type groupAnswer struct {
	_ struct{} `doc:"The new group, with the caller as its first member."`

	Group groupJSON `json:"group" doc:"The new group."`
}

// createGroup creates a group, with the caller as its first member. If there is an error, the
// answer is not sent.
func (a *api) createGroup(c *call, in groupRequest) (groupAnswer, error) {
	g, err := a.platform.Community.CreateGroup(c.Context(), c.actor,
		community.NewGroup{Name: in.Name, Description: in.Description, Icon: in.Icon})
	return groupAnswer{Group: groupOf(g)}, err
}

type membershipAnswer struct {
	Joined bool `json:"isMember"`
}

// toggleMembership makes the caller a member of a group, or ends the membership, and answers the
// state after that. If there is an error, the answer is not sent.
func (a *api) toggleMembership(c *call, _ none) (membershipAnswer, error) {
	joined, err := a.platform.Community.ToggleMembership(c.Context(), c.actor, c.Param("groupId"))
	return membershipAnswer{joined}, err
}
