package learning

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

// saleService has the operations on orders, payments, refunds and coupons. It is safe for
// concurrent use.
type saleService struct {
	base    core.Base[saleTx]
	store   saleReader
	people  *people.ForRooms
	catalog *catalog.ForRooms
	study   *study.ForRooms
	certify *certify.ForRooms

	gateway      Gateway // nil for none
	refundPolicy RefundPolicy
	currency     string
}

// newSale returns the service.
func newSale(
	base core.Base[saleTx], store saleReader, users *people.ForRooms, courses *catalog.ForRooms,
	students *study.ForRooms, certificates *certify.ForRooms, settings saleSettings,
) *saleService {
	return &saleService{
		base:         base,
		store:        store,
		people:       users,
		catalog:      courses,
		study:        students,
		certify:      certificates,
		gateway:      settings.Gateway,
		refundPolicy: settings.RefundPolicy,
		currency:     settings.Currency,
	}
}

// saleSettings are the gateway and the rules of the service.
type saleSettings struct {
	Gateway      Gateway // nil for none: then only free courses can be bought
	RefundPolicy RefundPolicy
	Currency     string // ISO 4217
}

// saleReader is what the room reads, inside or outside a transaction. A method that reads a single
// row returns [core.ErrNoRecord] if the row does not exist.
type saleReader interface {
	// Enrolled reports whether a user is enrolled in a course.
	Enrolled(ctx context.Context, userID, courseID string) (bool, error)
	// Lease reads the lease of a name, also if it has expired. It returns the zero Lease if there is
	// none.
	Lease(ctx context.Context, name string) (core.Lease, error)
	core.SweepReader
	purchaseReader
	refundReader
	couponReader
}

// saleStoreTx is what a store implements for the transactions of the room.
type saleStoreTx interface {
	core.Tx
	saleReader
	catalog.LockTx
	certify.RevokeTx
	core.SweepWriter
	paidEnrollmentWriter
	purchaseWriter
	refundWriter
	couponWriter
}

// paidEnrollmentWriter changes what pays an enrolment.
type paidEnrollmentWriter interface {
	// UpdateEnrollment stores the purchase and the grant of an enrolment. It returns
	// [core.ErrNoRecord] if the user is not enrolled.
	UpdateEnrollment(ctx context.Context, e study.Enrollment) error
	// RestorePastEnrollment records that the past enrolment of a purchase is given back, so that it
	// no longer counts as the end of what the purchase gave. The row stays.
	RestorePastEnrollment(ctx context.Context, userID, courseID, purchaseID string,
		at time.Time) error
}

// saleTx is a transaction of the room. Its payments enrol and its refunds end enrolments, so it has
// the hooks of room study.
type saleTx interface {
	saleStoreTx
	study.EnrollmentTx
}

// saleSystem has the operations of the host itself on payments and refunds. They take no actor and
// check no permission, so nothing that a user sends may reach them unchecked.
type saleSystem struct{ service *saleService }

// System returns the operations that take no actor.
func (s *saleService) System() saleSystem { return saleSystem{s} }

// saleForRooms is what package learning asks of this room. It checks no permission, so nothing that
// a user sends may reach it unchecked.
type saleForRooms saleService

// ForRooms returns what package learning asks of this room.
func (s *saleService) ForRooms() *saleForRooms { return (*saleForRooms)(s) }
