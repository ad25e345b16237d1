package purchase

import (
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/study"
)

// SoldOf returns the courses of a bundle, with their prices in a currency. platform is the currency
// of the platform.
func SoldOf(o offer.Offer, currency, platform string) []Sold {
	list := make([]Sold, len(o.Parts))
	for i, part := range o.Parts {
		price, isPriced := part.Price, true
		if currency != platform {
			price, isPriced = catalog.PriceIn(part.Prices, currency)
		}
		list[i] = Sold{CourseID: part.CourseID, Title: part.Title, IsPriced: isPriced,
			Terms: part.Terms, Price: core.ApplyDiscount(price, part.Discount)}
	}
	return list
}

// Missing returns the courses that a user does not have, in their order. enrolled are the
// enrolments of the user, by course.
func Missing(sold []Sold, enrolled map[string]study.Enrollment, now time.Time) (list []Sold) {
	for _, s := range sold {
		if !(Part{Enrollment: enrolled[s.CourseID]}).IsEnrolled(now) {
			list = append(list, s)
		}
	}
	return list
}

// FindSold returns the course with an id, zero if there is none.
func FindSold(sold []Sold, courseID string) Sold {
	i := slices.IndexFunc(sold, func(s Sold) bool { return s.CourseID == courseID })
	if i < 0 {
		return Sold{}
	}
	return sold[i]
}

// LinesAreOf reports whether lines are of courses, in their order.
func LinesAreOf(lines []Line, sold []Sold) bool {
	return slices.EqualFunc(lines, sold,
		func(l Line, s Sold) bool { return l.CourseID == s.CourseID })
}

// LineEvents returns lines as events tell them.
func LineEvents(lines []Line) []core.EventLine {
	var told []core.EventLine
	for _, l := range lines {
		told = append(told, core.EventLine{CourseID: l.CourseID, Amount: l.Amount})
	}
	return told
}
