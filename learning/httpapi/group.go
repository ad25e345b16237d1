package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning"
)

// groupJSON is a group of the community (docs/api.md §11).
type groupJSON struct {
	ID          string  `json:"_id"`
	Name        string  `json:"name"`
	Slug        string  `json:"slug"`
	Description string  `json:"description"`
	Icon        string  `json:"icon"`
	Members     int     `json:"memberCount"`
	Posts       int     `json:"postCount"`
	Official    bool    `json:"isOfficial"`
	CreatedAt   instant `json:"createdAt"`
	UpdatedAt   instant `json:"updatedAt"`
	Joined      bool    `json:"isMember"`
}

func groupOf(g learning.Group) groupJSON {
	return groupJSON{g.ID, g.Name, g.Slug, g.Description, g.Icon, g.Members, g.Posts, g.Official, instant(g.CreatedAt), instant(g.UpdatedAt), g.Joined}
}

type groupsAnswer struct {
	Groups []groupJSON `json:"groups"`
}

func (a *api) listGroups(w http.ResponseWriter, c *call) error {
	list, err := a.platform.Groups(c.Context(), c.actor)
	if err != nil {
		return err
	}
	var row groupJSON
	return writeList(w, c, "groups", list, func(g learning.Group) any {
		row = groupOf(g)
		return &row
	}, nil)
}

type groupRequest struct {
	Name        string `json:"name" jsonschema:"minLength=1,maxLength=60"`
	Description string `json:"description,omitempty" jsonschema:"maxLength=200"`
	Icon        string `json:"icon,omitempty"`
}

type groupAnswer struct {
	Group groupJSON `json:"group"`
}

func (a *api) createGroup(c *call, in groupRequest) (groupAnswer, error) {
	g, err := a.platform.CreateGroup(c.Context(), c.actor, learning.NewGroup{Name: in.Name, Description: in.Description, Icon: in.Icon})
	return groupAnswer{groupOf(g)}, err
}

type membershipAnswer struct {
	Joined bool `json:"isMember"`
}

func (a *api) toggleMembership(c *call, _ none) (membershipAnswer, error) {
	joined, err := a.platform.ToggleMembership(c.Context(), c.actor, c.param("groupId"))
	return membershipAnswer{joined}, err
}
