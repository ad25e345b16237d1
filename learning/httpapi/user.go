package httpapi

import (
	"errors"
	"net/http"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/people"
)

type userJSON struct {
	ID              string   `json:"_id" doc:"The id of the user, which is the 'sub' of their session tokens."`
	Name            string   `json:"name"`
	Email           string   `json:"email"`
	ImageURL        string   `json:"imageUrl"`
	EnrolledCourses []string `json:"enrolledCourses" doc:"The ids of the courses in which the user is enrolled, the oldest enrolment first."`
}

type userAnswer struct {
	User userJSON `json:"user"`
}

// errNoUser is the only failure that is answered with the status 200 (docs/api.md §2).
var errNoUser = &web.Failure{
	Status:  http.StatusOK,
	Message: people.ErrUserNotFound.Message,
	Code:    people.ErrUserNotFound.Code,
}

// userData answers the record of the caller, who need not exist: the access rule of the route
// verifies the token only.
func (a *api) userData(c *call, _ none) (userAnswer, error) {
	claims, err := c.claims()
	if err != nil {
		return userAnswer{}, err
	}
	u, err := a.platform.People.User(c.Context(), claims)
	if errors.Is(err, people.ErrUserNotFound) {
		return userAnswer{}, errNoUser
	}
	if err != nil {
		return userAnswer{}, err
	}
	return userAnswer{userJSON{
		ID:              u.ID,
		Name:            u.Name,
		Email:           u.Email,
		ImageURL:        u.ImageURL,
		EnrolledCourses: append([]string{}, u.Enrolled...), // [] rather than null
	}}, nil
}
