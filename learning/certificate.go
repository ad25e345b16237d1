package learning

import "time"

// Certificate says that somebody completed a course. What is printed on it is of
// the day of issue and stays so, whatever person, course and educator are called
// later (contract.md §8).
type Certificate struct {
	ID       string // a random UUID: who has it can verify it
	UserID   string
	CourseID string
	// Number counts the certificates of the platform from 0. It is reserved with the
	// certificate and places it in the status lists of credentials.
	Number int64

	StudentName  string
	CourseTitle  string
	EducatorName string
	CompletedAt  time.Time // of the last lecture
	IssuedAt     time.Time
	FiledAt      time.Time // when the PDF was kept; zero until then

	RevokedAt        time.Time // zero unless it was revoked
	RevocationReason string
}

// MaxRevocationReason is how long the reason of a revocation may be, in code points.
const MaxRevocationReason = 1_000
