package learning

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/due"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/inbox"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
	"github.com/openlectern/openlectern/learning/tutor"
)

// addRooms makes the services of the rooms, in the order of the rooms. The functions asPeople and
// the like are how the compiler checks that a transaction of the store has all that a room needs. A
// room that causes something in a later one gets it there, in the same transaction.
func (p *Platform) addRooms() {
	p.People = people.New(core.Narrow(p.base, p.asPeople), p.store, p.identity)

	p.Catalog = catalog.New(core.Narrow(p.base, p.asCatalog), p.store, p.catalogSettings)

	p.Study = study.New(core.Narrow(p.base, asStudy), p.store, p.Catalog.ForRooms())

	var recommendations assess.Recommender
	if p.tutorSettings.AI != nil {
		recommendations = recommender{p}
	}
	p.Assess = assess.New(core.Narrow(p.base, asAssess), p.store, p.Catalog.ForRooms(),
		p.Study.ForRooms(), recommendations)

	p.Due = due.New(core.Narrow(p.base, asDue), p.store)

	settings := p.certifySettings
	settings.IssuerName, settings.Media = p.name, p.catalogSettings.Media
	p.Certify = certify.New(core.Narrow(p.base, asCertify), p.store, p.Catalog, p.Study.ForRooms(),
		settings)

	p.Offers = offer.New(core.Narrow(p.base, asOffer), p.store, p.Catalog.ForRooms(),
		p.saleSettings.Providers, p.saleSettings.Currency)

	p.Bundles = bundle.New(core.Narrow(p.base, asBundle), p.store, p.Catalog.ForRooms())

	refunds := p.refundSettings
	refunds.Providers = p.saleSettings.Providers
	p.Refunds = refund.New(core.Narrow(p.base, p.asRefund), p.store, p.Catalog.ForRooms(),
		p.Study.ForRooms(), p.Certify.ForRooms(), refunds)

	p.Sales = sale.New(core.Narrow(p.base, p.asSale), p.store, p.People.ForRooms(),
		p.Catalog.ForRooms(), p.Study.ForRooms(), p.Offers.ForRooms(), p.Bundles.ForRooms(),
		p.Refunds.ForRooms(), p.saleSettings)

	p.Papers = papers.New(core.Narrow(p.base, asPapers), p.store, p.paperSettings)

	p.Community = community.New(core.Narrow(p.base, asCommunity), p.store, p.Catalog.ForRooms(),
		p.Study.ForRooms())

	p.Staff = staff.New(core.Narrow(p.base, asStaff), p.store, p.People.ForRooms(),
		p.Catalog.ForRooms(), p.Assess.ForRooms(), p.Papers.ForRooms(), p.saleSettings.Currency)

	p.Tutor = tutor.New(core.Narrow(p.base, asTutor), p.store, p.Catalog.ForRooms(),
		p.Study.ForRooms(), p.Assess.ForRooms(), p.tutorSettings)

	p.Inbox = inbox.New(core.Narrow(p.base, asInbox), p.store, p.Catalog.ForRooms(),
		p.Study.ForRooms())

	p.Exchange = exchange.New(core.Narrow(p.base, p.asExchange), p.store, exchange.Rooms{
		People: p.People, Catalog: p.Catalog, Study: p.Study.ForRooms(), Assess: p.Assess,
		Certify: p.Certify.ForRooms(), Sales: p.Sales.ForRooms(),
		Community: p.Community.ForRooms(),
	}, p.saleSettings.Currency)

	p.listRooms()
}

// listRooms sets the rooms that are asked one after the other. The order is one of locks.
// Submissions come before the files that they use, and what belongs to a course before the course.
func (p *Platform) listRooms() {
	p.rooms = []core.Room[Tx]{
		core.NarrowRoom(p.People.ForRooms(), p.asPeople),
		core.NarrowRoom(p.Staff.ForRooms(), asStaff),
		core.NarrowRoom(p.Study.ForRooms(), asStudy),
		core.NarrowRoom(p.Tutor.ForRooms(), asTutor),
		core.NarrowRoom(p.Community.ForRooms(), asCommunity),
		core.NarrowRoom(p.Assess.ForRooms(), asAssess),
		core.NarrowRoom(p.Due.ForRooms(), asDue),
		core.NarrowRoom(p.Certify.ForRooms(), asCertify),
		core.NarrowRoom(p.Papers.ForRooms(), asPapers),
		core.NarrowRoom(p.Sales.ForRooms(), p.asSale),
		core.NarrowRoom(p.Refunds.ForRooms(), p.asRefund),
		core.NarrowRoom(p.Offers.ForRooms(), asOffer),
		core.NarrowRoom(p.Bundles.ForRooms(), asBundle),
		core.NarrowRoom(p.Catalog.ForRooms(), p.asCatalog),
		core.NarrowRoom(p.Exchange.ForRooms(), p.asExchange),
		core.NarrowRoom(p.Inbox.ForRooms(), asInbox),
	}
}

// asPeople, asRefund, asSale and asExchange return a transaction as those rooms see it.
func (p *Platform) asPeople(tx Tx) people.Tx { return peopleHooked{tx, p} }
func (p *Platform) asRefund(tx Tx) refund.Tx { return refundHooked{studyHooked{tx}, p} }
func (p *Platform) asSale(tx Tx) sale.Tx     { return saleHooked{studyHooked{tx}, p} }
func (p *Platform) asExchange(tx Tx) exchange.Tx {
	return exchangeHooked{peopleHooked{tx, p}, saleHooked{studyHooked{tx}, p}, catalogHooked{tx, p}}
}

// A transaction as the rooms see it that cause nothing in later ones.
func asAssess(tx Tx) assess.Tx       { return tx }
func asDue(tx Tx) due.Tx             { return tx }
func asCertify(tx Tx) certify.Tx     { return tx }
func asOffer(tx Tx) offer.Tx         { return tx }
func asBundle(tx Tx) bundle.Tx       { return tx }
func asPapers(tx Tx) papers.Tx       { return tx }
func asCommunity(tx Tx) community.Tx { return tx }
func asStaff(tx Tx) staff.Tx         { return tx }
func asTutor(tx Tx) tutor.Tx         { return tx }
func asInbox(tx Tx) inbox.Tx         { return tx }

// recommender gives room assess the recommendations of room tutor, which is made after it.
type recommender struct{ p *Platform }

// Recommend returns the recommendations of the AI: see [tutor.ForRooms.Recommend].
func (r recommender) Recommend(
	ctx context.Context, actor core.Actor, q assess.RecommendationRequest,
) (string, error) {
	return r.p.Tutor.ForRooms().Recommend(ctx, actor, q)
}

// peopleHooked is a transaction as room people sees it.
type peopleHooked struct {
	Tx
	p *Platform
}

// UserChanged marks the courses of the user as changed.
func (tx peopleHooked) UserChanged(ctx context.Context, userID string) error {
	return tx.p.Catalog.ForRooms().EducatorChanged(ctx, tx.p.asCatalog(tx.Tx), userID)
}

// ForgetUser deletes the rows of the user in all rooms.
func (tx peopleHooked) ForgetUser(
	ctx context.Context, changes *core.Changes, userID string, at time.Time,
) error {
	return tx.p.forgetUser(ctx, tx.Tx, changes, userID, at)
}

// asCatalog returns a transaction as room catalog sees it.
func (p *Platform) asCatalog(tx Tx) catalog.Tx { return catalogHooked{tx, p} }

// catalogHooked is a transaction as room catalog sees it.
type catalogHooked struct {
	Tx
	p *Platform
}

// ContentStored lets quizzes and due times follow the content.
func (tx catalogHooked) ContentStored(
	ctx context.Context, courseID string, content []catalog.Chapter,
) error {
	err := tx.p.Assess.ForRooms().ContentStored(ctx, tx.Tx, courseID, content)
	if err != nil {
		return err
	}
	return tx.p.Due.ForRooms().ContentStored(ctx, tx.Tx, courseID, content)
}

// asStudy returns a transaction as room study sees it.
func asStudy(tx Tx) study.Tx { return studyHooked{tx} }

// studyHooked is a transaction as room study sees it.
type studyHooked struct{ Tx }

// EnrollmentEnded ends the attempts of the student in the course. What was answered in them counts,
// and the next run of Tidy marks it.
func (tx studyHooked) EnrollmentEnded(ctx context.Context, past study.PastEnrollment) error {
	return tx.EndAttempts(ctx, past.UserID, past.CourseID, past.EndedAt)
}

// AccessEnded ends the attempts of the student in the course, as EnrollmentEnded does.
func (tx studyHooked) AccessEnded(ctx context.Context, e study.Enrollment, at time.Time) error {
	return tx.EndAttempts(ctx, e.UserID, e.CourseID, at)
}

// refundHooked is a transaction as room refund sees it.
type refundHooked struct {
	studyHooked
	p *Platform
}

// RefundCounted makes the credit note of the refund.
func (tx refundHooked) RefundCounted(
	ctx context.Context, p purchase.Purchase, r refund.Refund, counted core.Money,
) error {
	return tx.p.Papers.ForRooms().RefundCounted(ctx, tx.Tx, p, r, counted)
}

// RefundFailed takes the credit notes of the refund back.
func (tx refundHooked) RefundFailed(
	ctx context.Context, p purchase.Purchase, r refund.Refund,
) error {
	return tx.p.Papers.ForRooms().RefundFailed(ctx, tx.Tx, p, r)
}

// saleHooked is a transaction as room sale sees it.
type saleHooked struct {
	studyHooked
	p *Platform
}

// PurchaseCompleted makes the receipt of the purchase.
func (tx saleHooked) PurchaseCompleted(ctx context.Context, p purchase.Purchase) error {
	return tx.p.Papers.ForRooms().PurchaseCompleted(ctx, tx.Tx, p)
}

// exchangeHooked is a transaction as room exchange sees it.
type exchangeHooked struct {
	peopleHooked
	saleHooks
	catalog.Hooks
}

// saleHooks are the hooks of room sale and those of room study.
type saleHooks interface {
	sale.Hooks
	study.Hooks
}
