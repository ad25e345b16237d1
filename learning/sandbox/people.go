package sandbox

import (
	"cmp"
	"net/http"
)

// personData is a user of the list of people.
type personData struct {
	UserID   string `json:"userId"`
	Name     string `json:"name"`
	Role     string `json:"role"`
	ImageURL string `json:"imageUrl"`
}

// servePeople lists the users to sign in as, oldest first. A user without a role is a student.
func (i *Identity) servePeople(w http.ResponseWriter, _ *http.Request) {
	people := []personData{}
	for _, u := range i.Users() {
		people = append(people,
			personData{UserID: u.ID, Name: u.Name(), Role: cmp.Or(u.Role, "student"),
				ImageURL: cmp.Or(u.ImageURL, i.PictureURL(u.ID))})
	}
	writeJSON(w, http.StatusOK, map[string]any{"people": people})
}
