package main

import (
	"context"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
)

// coupon is a coupon of the demo, for one course or for every course.
type coupon struct {
	moment
	By             string // the educator of the course, or the administrator
	Code           string
	PercentOff     int // or AmountOff, in major units
	AmountOff      int
	Course         string // "" for every course
	MaxRedemptions int64
	Days           int // from the first start on until the coupon ends; 0 for no end
}

// seedCoupons creates the coupons, each at its time.
func (sd *seeder) seedCoupons(ctx context.Context) error {
	for _, c := range sd.Coupons {
		// An admin's coupon is for all courses, an educator's for one of the own. demoActor returns
		// no educators.
		actor := demoActor(c.By)
		if c.By != demoAdmin {
			actor.Role = core.Educator
		}
		sd.clock.at = c.date(sd.now)
		// The file has whole percents and whole units of the currency; the platform has hundredths.
		made := offer.NewCoupon{Code: c.Code, PercentOff: core.Percent(100 * c.PercentOff),
			AmountOff: core.Money(100 * c.AmountOff),
			CourseID:  c.Course, MaxRedemptions: c.MaxRedemptions, Active: true}
		if c.Days > 0 {
			made.EndsAt = sd.now.Add(time.Duration(c.Days) * 24 * time.Hour)
		}
		if _, err := sd.past.Offers.CreateCoupon(ctx, actor, made); err != nil {
			return fmt.Errorf("coupon %s: %w", c.Code, err)
		}
	}
	return nil
}
