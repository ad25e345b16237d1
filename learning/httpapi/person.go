package httpapi

import (
	"github.com/openlectern/openlectern/learning/core"
)

// personJSON is the public form of a user.
type personJSON struct {
	_ struct{} `doc:"A user as other users see them."`

	ID       string `json:"_id"`
	Name     string `json:"name" doc:"The user's name. 'Deleted user' if the user was deleted."`
	ImageURL string `json:"imageUrl"`
}

// person returns the wire shape of a user as other users see them.
func person(p core.Person) personJSON {
	return personJSON{
		ID:       p.ID,
		Name:     p.Name,
		ImageURL: p.ImageURL,
	}
}
