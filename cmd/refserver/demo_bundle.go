package main

import (
	"context"
	"fmt"

	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/core"
)

// demoBundle is a bundle of the demo, which is published.
type demoBundle struct {
	moment
	By          string // the educator of all courses
	Title       string
	Description string
	Courses     []string // their ids
	Price       int      // in major units, before the discount
	Discount    int      // in per cent
}

// seedBundles creates the bundles, each at its time.
func (sd *seeder) seedBundles(ctx context.Context) error {
	for _, b := range sd.Bundles {
		actor := core.Actor{UserID: b.By, Role: core.Educator}
		sd.clock.at = b.date(sd.now)
		// The file has whole units of the currency and whole percents; the platform has hundredths.
		_, err := sd.past.Bundles.Create(ctx, actor, bundle.NewBundle{Title: b.Title,
			Description: b.Description, CourseIDs: b.Courses, Price: core.Money(100 * b.Price),
			Discount: core.Percent(100 * b.Discount), Published: true})
		if err != nil {
			return fmt.Errorf("bundle %s: %w", b.Title, err)
		}
	}
	return nil
}
