package httpapi

import (
	"errors"
	"net/http"

	"github.com/openlectern/openlectern/learning"
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

// errNoUser is the only failure that is answered with the status 200 (docs/api.md §2).
var errNoUser = &failure{http.StatusOK, learning.ErrUserNotFound.Message}

func (a *api) userData(c *call, _ none) (userAnswer, error) {
	claims, err := c.claims()
	if err != nil {
		return userAnswer{}, err
	}
	u, err := a.platform.User(c.Context(), claims)
	if errors.Is(err, learning.ErrUserNotFound) {
		return userAnswer{}, errNoUser
	}
	if err != nil {
		return userAnswer{}, err
	}
	return userAnswer{userJSON{u.ID, u.Name, u.Email, u.ImageURL, append([]string{}, u.Enrolled...)}}, nil
}
