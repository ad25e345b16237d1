package staff

import (
	"context"
	"errors"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

// UserDetail is a user with what an admin needs to know. The lists have the newest of each, at most
// MaxUserRows.
type UserDetail struct {
	people.UserReport                     // a deleted user has the name [core.DeletedUser]
	Application       *people.Application // nil for none
	Enrollments       []study.EnrollmentReport
	Purchases         []PurchaseReport
	Decisions         []Decision
}

// MaxUserRows is how many rows each list of a [UserDetail] has at most.
const MaxUserRows = 20

// User returns a user, also one who was deleted. Errors: [core.ErrUnauthenticated],
// [core.ErrForbidden], [people.ErrUserNotFound] if there is no record.
func (s *Service) User(
	ctx context.Context, actor core.Actor, id string,
) (UserDetail, error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return UserDetail{}, err
	}

	// Read the record, and the application.
	var d UserDetail
	var err error
	d.UserReport, err = s.store.UserReport(ctx, id)
	if errors.Is(err, core.ErrNoRecord) {
		return UserDetail{}, people.ErrUserNotFound
	}
	if err != nil {
		return UserDetail{}, core.Wrap("report on a user", err)
	}
	switch a, err := s.store.ApplicationOf(ctx, id); {
	case err == nil:
		d.Application = &a
	case !errors.Is(err, core.ErrNoRecord):
		return UserDetail{}, core.Wrap("read the application of a user", err)
	}

	// Read the beginnings of the lists.
	newest := core.PageRequest{Limit: MaxUserRows}
	purchases, err := s.Purchases(ctx, actor, PurchaseQuery{UserID: id}, newest)
	if err != nil {
		return UserDetail{}, err
	}
	d.Purchases = purchases.Rows
	d.Enrollments, err = s.store.EnrollmentReports(ctx, study.EnrollmentQuery{UserID: id}, newest)
	if err == nil {
		d.Decisions, err = s.store.Decisions(ctx, DecisionQuery{UserID: id}, newest)
	}
	if err != nil {
		return UserDetail{}, core.Wrap("list what concerns a user", err)
	}
	return d, nil
}

// userDetailReader reads a user as administrators see one.
type userDetailReader interface {
	// UserReport reads a user, also one who was deleted. ListedAt is CreatedAt.
	UserReport(ctx context.Context, id string) (people.UserReport, error)
	study.EnrollmentReportReader
}
