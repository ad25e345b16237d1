package httpapi

// userDetailAnswer is a user with what an admin needs to know.
type userDetailAnswer struct {
	User        userReportJSON       `json:"user" doc:"The record. A deleted user has the name 'Deleted user', and neither address nor picture."`
	Role        string               `json:"role" jsonschema:"enum=student,enum=educator,enum=admin" doc:"The recorded role, 'student' if there is none. A newer token may say another."`
	Application *applicationJSON     `json:"application" jsonschema:"nullable" doc:"The application to become an educator. Null if there is none."`
	Enrollments []enrollmentJSON     `json:"enrollments" doc:"The last 20, active and past, those that began last first."`
	Purchases   []purchaseReportJSON `json:"purchases" doc:"The last 20, the newest first."`
	Decisions   []decisionJSON       `json:"decisions" doc:"The last 20 decisions of staff that concern the user, the newest first."`
}

// userDetail answers a user with what an admin needs to know.
func (a *api) userDetail(c *call, _ none) (userDetailAnswer, error) {
	d, err := a.platform.Staff.User(c.Context(), c.actor, c.Param("userId"))
	if err != nil {
		return userDetailAnswer{}, err
	}
	answer := userDetailAnswer{
		User:        userReportOf(d.UserReport),
		Role:        string(d.Role),
		Enrollments: shaped(d.Enrollments, enrollmentOf),
		Purchases:   shaped(d.Purchases, purchaseReportOf),
		Decisions:   shaped(d.Decisions, decisionOf),
	}
	if d.Application != nil {
		answer.Application = new(applicationOf(*d.Application))
	}
	return answer, nil
}
