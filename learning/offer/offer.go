package offer

import (
	"context"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// Offer is one thing that can be bought. All that quotes, orders and prices need to know of it
// stands here, so that they are the same for each kind of offer.
type Offer struct {
	CourseID string
	Title    string

	Price    core.Money      // in the currency of the platform, before the discount
	Prices   []catalog.Price // in other currencies
	Discount core.Percent    // of each price
}

// ofCourse returns the offer of a course.
func ofCourse(c catalog.Course) Offer {
	return Offer{
		CourseID: c.ID,
		Title:    c.Title,
		Price:    c.Price,
		Prices:   c.Prices,
		Discount: c.Discount,
	}
}

// Course returns the offer of a published course. Error: [catalog.ErrCourseNotFound].
func (s *ForRooms) Course(ctx context.Context, courseID string) (Offer, error) {
	c, err := s.catalog.Published(ctx, courseID)
	if err != nil {
		return Offer{}, err
	}
	return ofCourse(c), nil
}
