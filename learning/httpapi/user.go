package httpapi

import (
	"errors"
	"net/http"

	"github.com/openlectern/learning/learning"
)

type userJSON struct {
	ID              string   `json:"_id"`
	Name            string   `json:"name"`
	Email           string   `json:"email"`
	ImageURL        string   `json:"imageUrl"`
	EnrolledCourses []string `json:"enrolledCourses"`
}

type userAnswer struct {
	User userJSON `json:"user"`
}

// userData is the one place where a thing that is missing is a 200 with
// success: false (interface.md, "Signed-in user").
func (a *api) userData(w http.ResponseWriter, c *call) error {
	claims, err := c.claims()
	if err != nil {
		return err
	}
	u, err := a.platform.User(c.Context(), claims)
	if errors.Is(err, learning.ErrUserNotFound) {
		writeFailure(w, http.StatusOK, learning.ErrUserNotFound.Message)
		return nil
	}
	if err != nil {
		return err
	}
	return writeSuccess(w, userAnswer{userJSON{u.ID, u.Name, u.Email, u.ImageURL, append([]string{}, u.Enrolled...)}})
}
