package sale

import (
	"context"
	"fmt"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

// BuyPolicy decides who may buy, and Offered is what it is asked about.
type (
	BuyPolicy = offer.BuyPolicy
	Offered   = offer.Offered
)

// mayStillBuy returns nil if an offer has not ended and the actor has completed what it requires.
// Errors: [catalog.ErrCourseEnded], [study.ErrCoursesRequired].
func (s *Service) mayStillBuy(ctx context.Context, actor core.Actor, o offer.Offer) error {
	if o.HasEnded(s.base.Now()) {
		return catalog.ErrCourseEnded
	}
	return s.study.RequireCompleted(ctx, actor.UserID, o.Course)
}

// offered returns the offer of a published course, or of a bundle that is for sale. Errors:
// [core.ErrInvalidRequest] for both, [catalog.ErrCourseNotFound], [bundle.ErrBundleNotFound].
func (s *Service) offered(ctx context.Context, courseID, bundleID string) (offer.Offer, error) {
	if bundleID == "" {
		return s.offers.Course(ctx, courseID)
	}
	if err := requireOne(courseID, bundleID); err != nil {
		return offer.Offer{}, err
	}
	return s.bundles.Offer(ctx, bundleID)
}

// anyOffer is offered for a sale that was made elsewhere: the course or the bundle may be a draft,
// or have ended.
func (s *Service) anyOffer(ctx context.Context, courseID, bundleID string) (offer.Offer, error) {
	if err := requireOne(courseID, bundleID); err != nil {
		return offer.Offer{}, err
	}
	if bundleID != "" {
		return s.bundles.AnyOffer(ctx, bundleID)
	}
	course, err := s.catalog.Any(ctx, courseID)
	return offer.OfCourse(course), err
}

// requireOne returns an error for a course and a bundle at once.
func requireOne(courseID, bundleID string) error {
	return core.Require(courseID == "" || bundleID == "", "bundleId", "must not come with courseId")
}

// requireMissing returns [study.ErrAlreadyEnrolled] if a user has all courses of a bundle. It
// returns nil for a course, which has a price for those too who have it.
func (s *Service) requireMissing(ctx context.Context, userID string, o offer.Offer) error {
	if o.BundleID == "" {
		return nil
	}
	enrolled, err := s.store.EnrollmentsIn(ctx, userID, o.CourseIDs())
	if err != nil {
		return fmt.Errorf("read the enrolments in a bundle: %w", err)
	}
	sold := purchase.SoldOf(o, s.currency, s.currency)
	if len(purchase.Missing(sold, enrolled, s.base.Now())) == 0 {
		return study.ErrAlreadyEnrolled
	}
	return nil
}
