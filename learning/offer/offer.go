package offer

import (
	"cmp"
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// Offer is one thing that can be bought. All that quotes, orders and prices need to know of it
// stands here, so that they are the same for each kind of offer.
type Offer struct {
	CourseID string // "" for a bundle
	BundleID string // "" for a course
	Title    string

	Price    core.Money      // in the currency of the platform, before the discount
	Prices   []catalog.Price // in other currencies
	Discount core.Percent    // of each price

	// Course is what is offered, with its terms; zero for a bundle.
	Course catalog.Course
	// Parts are the courses of a bundle, in their order; none for a course.
	Parts []Part
}

// Part is a course of a bundle, with what it costs alone.
type Part struct {
	CourseID string
	Title    string
	Price    core.Money
	Prices   []catalog.Price
	Discount core.Percent
	Terms    catalog.Terms
}

// ID returns the id of the course or the bundle.
func (o Offer) ID() string { return cmp.Or(o.CourseID, o.BundleID) }

// CourseIDs returns the ids of the courses of a bundle.
func (o Offer) CourseIDs() []string {
	ids := make([]string, len(o.Parts))
	for i, part := range o.Parts {
		ids[i] = part.CourseID
	}
	return ids
}

// HasEnded reports whether the course is not sold any more. A bundle with such a course is no
// offer.
func (o Offer) HasEnded(now time.Time) bool { return o.Course.Terms.HasEnded(now) }

// OfCourse returns the offer of a course.
func OfCourse(c catalog.Course) Offer {
	return Offer{
		CourseID: c.ID,
		Title:    c.Title,
		Price:    c.Price,
		Prices:   c.Prices,
		Discount: c.Discount,
		Course:   c,
	}
}

// Course returns the offer of a published course. Error: [catalog.ErrCourseNotFound].
func (s *ForRooms) Course(ctx context.Context, courseID string) (Offer, error) {
	c, err := s.catalog.Published(ctx, courseID)
	if err != nil {
		return Offer{}, err
	}
	return OfCourse(c), nil
}
