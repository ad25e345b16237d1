package learning

import (
	"context"
	"regexp"
	"time"

	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/staff"
)

// System has the operations of the host itself: commands, scheduled work, imports. They take
// no [core.Actor] and check no permission, so nothing that a user sends may reach them unchecked.
// [Platform.System] returns it. It is safe for concurrent use.
type System struct{ platform *Platform }

// System returns the operations that take no [core.Actor].
func (p *Platform) System() System { return System{p} }

// Actor returns the caller of operations that a service of the host calls by itself, when no person
// does. It has the role [core.Admin], and its id is "service:" and the name, such as
// "service:billing": grants, refunds and decisions keep it as who did them. The name is 1 to 40
// small letters, digits and hyphens; another one gives the zero Actor, which every operation
// refuses. The caller has no record, so that operations which need one, such as buying or writing a
// post, refuse it. For what an educator or a student does, call [people.Service.Identify] with the
// id of that user.
func (s System) Actor(service string) core.Actor {
	if !serviceName.MatchString(service) {
		return core.Actor{}
	}
	return core.Actor{UserID: core.ServicePrefix + service, Role: core.Admin, Name: service}
}

// serviceName matches the names of services.
var serviceName = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)

// ApplyIdentityEvent applies an event of the identity provider to the records, as a webhook of the
// provider does: see [people.System.ApplyIdentityEvent].
func (s System) ApplyIdentityEvent(ctx context.Context, e people.IdentityEvent) error {
	return s.platform.People.System().ApplyIdentityEvent(ctx, e)
}

// MakeAdmin grants a user the role admin: see [people.System.MakeAdmin].
func (s System) MakeAdmin(ctx context.Context, userID string) error {
	return s.platform.People.System().MakeAdmin(ctx, userID)
}

// CapturePayment completes the purchase of a captured payment: see [sale.System.CapturePayment].
func (s System) CapturePayment(ctx context.Context, paid payment.Payment) error {
	return s.platform.Sales.System().CapturePayment(ctx, paid)
}

// ReconcilePurchases asks the gateway for what no webhook has reported of payments and refunds, and
// completes and counts it: see [sale.System.ReconcilePurchases].
func (s System) ReconcilePurchases(ctx context.Context) (sale.Reconciliation, error) {
	s.platform.isRun.Store(true)
	return s.platform.Sales.System().ReconcilePurchases(ctx)
}

// RunReconciliation calls [System.ReconcilePurchases] about every interval until ctx is done, and
// logs the results: see [sale.System.RunReconciliation].
func (s System) RunReconciliation(ctx context.Context, every time.Duration) {
	s.platform.isRun.Store(true)
	s.platform.Sales.System().RunReconciliation(ctx, every)
}

// ReconcileRefunds asks the gateway for the refunds of every purchase that was created since a time
// and paid: see [refund.System.Reconcile].
func (s System) ReconcileRefunds(ctx context.Context, since time.Time) (refund.Reconciliation,
	error) {
	return s.platform.Refunds.System().Reconcile(ctx, since)
}

// ExportCourse returns the package of a course: see [exchange.System.ExportCourse].
func (s System) ExportCourse(ctx context.Context, courseID string) (*exchange.CoursePackage,
	error) {
	return s.platform.Exchange.System().ExportCourse(ctx, courseID)
}

// ImportCatalogue adds the users and the courses of a catalogue that the platform does not have:
// see [exchange.System.ImportCatalogue].
func (s System) ImportCatalogue(
	ctx context.Context, c exchange.Catalogue, files exchange.CatalogueFiles,
) (exchange.CatalogueImport, error) {
	return s.platform.Exchange.System().ImportCatalogue(ctx, c, files)
}

// RecordSale stores a sale that was made elsewhere: see [sale.Service.RecordSale].
func (s System) RecordSale(ctx context.Context, e sale.SaleElsewhere) (purchase.Own, error) {
	return s.platform.Sales.System().RecordSale(ctx, e)
}

// Purchase returns a purchase with its refunds, disputes, papers and history: see
// [staff.Service.Purchase].
func (s System) Purchase(ctx context.Context, id string) (staff.PurchaseDetail, error) {
	return s.platform.Staff.System().Purchase(ctx, id)
}

// NumberPapers gives the receipts and credit notes that wait their numbers: see
// [papers.System.NumberPapers].
func (s System) NumberPapers(ctx context.Context) (papers.Numbering, error) {
	s.platform.isRun.Store(true)
	return s.platform.Papers.System().NumberPapers(ctx)
}

// RunNumbering calls [System.NumberPapers] every few seconds until ctx is done, and logs failures:
// see [papers.System.RunNumbering].
func (s System) RunNumbering(ctx context.Context) {
	s.platform.isRun.Store(true)
	s.platform.Papers.System().RunNumbering(ctx)
}

// ImportPeople imports people and their history of another system: see
// [exchange.System.ImportPeople].
func (s System) ImportPeople(
	ctx context.Context, p exchange.People, options exchange.PeopleOptions,
) (exchange.PeopleImport, error) {
	return s.platform.Exchange.System().ImportPeople(ctx, p, options)
}

// RevokeCertificate revokes a certificate: see [certify.System.RevokeCertificate].
func (s System) RevokeCertificate(ctx context.Context, id, reason string) (certify.Revocation,
	error) {
	return s.platform.Certify.System().RevokeCertificate(ctx, id, reason)
}
