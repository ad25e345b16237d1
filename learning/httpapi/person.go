package httpapi

import "github.com/openlectern/openlectern/learning"

// personJSON is the public form of a user.
type personJSON struct {
	ID       string `json:"_id"`
	Name     string `json:"name"`
	ImageURL string `json:"imageUrl"`
}

func person(p learning.Person) personJSON { return personJSON{p.ID, p.Name, p.ImageURL} }
