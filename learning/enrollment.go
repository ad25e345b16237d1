package learning

import "time"

// Enrollment is the right of a person to a course. There is one a person and
// course; it is never taken away by the rules of this package.
type Enrollment struct {
	UserID     string
	CourseID   string
	PurchaseID string // what gave the right
	CreatedAt  time.Time
}
