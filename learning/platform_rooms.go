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
	"github.com/openlectern/openlectern/learning/file"
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

	p.Files = file.New(core.Narrow(p.base, asFiles), p.store, p.fileSettings)

	p.Catalog = catalog.New(core.Narrow(p.base, p.asCatalog), p.store, p.Files.ForRooms(),
		p.catalogSettings)

	p.Study = study.New(core.Narrow(p.base, p.asStudy), p.store, p.Catalog.ForRooms())

	var recommendations assess.Recommender
	if p.tutorSettings.AI != nil {
		recommendations = recommender{p}
	}
	p.Assess = assess.New(core.Narrow(p.base, asAssess), p.store, p.Files.ForRooms(),
		p.Catalog.ForRooms(), p.Study.ForRooms(), recommendations)

	p.Due = due.New(core.Narrow(p.base, asDue), p.store)

	settings := p.certifySettings
	settings.IssuerName, settings.Media = p.name, p.fileSettings.Media
	p.Certify = certify.New(core.Narrow(p.base, asCertify), p.store, p.Files, p.Catalog,
		p.Study.ForRooms(), settings)

	p.addRoomsOfSales()

	p.Community = community.New(core.Narrow(p.base, asCommunity), p.store, p.Catalog.ForRooms(),
		p.Study.ForRooms())

	p.Staff = staff.New(core.Narrow(p.base, asStaff), p.store, p.People.ForRooms(),
		p.Catalog.ForRooms(), p.Assess.ForRooms(), p.Papers.ForRooms(), p.saleSettings.Currency)

	p.Tutor = tutor.New(core.Narrow(p.base, asTutor), p.store, p.Files.ForRooms(),
		p.Catalog.ForRooms(), p.Study.ForRooms(), p.Assess.ForRooms(), p.tutorSettings)

	p.Inbox = inbox.New(core.Narrow(p.base, asInbox), p.store, p.Catalog.ForRooms(),
		p.Study.ForRooms())

	p.Exchange = exchange.New(core.Narrow(p.base, p.asExchange), p.store, exchange.Rooms{
		People: p.People, Files: p.Files, Catalog: p.Catalog, Study: p.Study.ForRooms(),
		Assess:  p.Assess,
		Certify: p.Certify.ForRooms(), Sales: p.Sales.ForRooms(),
		Community: p.Community.ForRooms(),
	}, p.saleSettings.Currency)

	p.rooms, p.exportLists = p.allRooms(), ExportLists()
}

// addRoomsOfSales is the part of addRooms for the rooms of what is sold.
func (p *Platform) addRoomsOfSales() {
	p.Offers = offer.New(core.Narrow(p.base, asOffer), p.store, p.Catalog.ForRooms(),
		p.saleSettings.Providers, p.saleSettings.Currency)

	p.Bundles = bundle.New(core.Narrow(p.base, asBundle), p.store, p.Files.ForRooms(),
		p.Catalog.ForRooms())

	refunds := p.refundSettings
	refunds.Providers = p.saleSettings.Providers
	p.Refunds = refund.New(core.Narrow(p.base, p.asRefund), p.store, p.Catalog.ForRooms(),
		p.Study.ForRooms(), p.Certify.ForRooms(), refunds)

	p.Sales = sale.New(core.Narrow(p.base, p.asSale), p.store, p.People.ForRooms(),
		p.Catalog.ForRooms(), p.Study.ForRooms(), p.Offers.ForRooms(), p.Bundles.ForRooms(),
		p.Refunds.ForRooms(), p.saleSettings)

	p.Papers = papers.New(core.Narrow(p.base, asPapers), p.store, p.paperSettings)
}

// allRooms returns the rooms that are asked one after the other. The order is one of locks.
// Submissions come before the files that they use, and what belongs to a course before the course.
func (p *Platform) allRooms() []core.Room[Tx] {
	return []core.Room[Tx]{
		core.NarrowRoom(p.People.ForRooms(), p.asPeople),
		core.NarrowRoom(p.Staff.ForRooms(), asStaff),
		core.NarrowRoom(p.Study.ForRooms(), p.asStudy),
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
		core.NarrowRoom(p.Files.ForRooms(), asFiles),
		core.NarrowRoom(p.Catalog.ForRooms(), p.asCatalog),
		core.NarrowRoom(p.Exchange.ForRooms(), p.asExchange),
		core.NarrowRoom(p.Inbox.ForRooms(), asInbox),
	}
}

// A transaction as the rooms see it that cause something in later ones. Each struct has what its
// room needs, because the compiler makes a function for each method that it embeds; exchange needs
// nearly all.

func (p *Platform) asPeople(tx Tx) people.Tx {
	return struct {
		people.StoreTx
		hooks
	}{tx, hooks{p, tx}}
}

func (p *Platform) asCatalog(tx Tx) catalog.Tx {
	return struct {
		catalog.StoreTx
		hooks
	}{tx, hooks{p, tx}}
}

func (p *Platform) asStudy(tx Tx) study.Tx {
	return struct {
		study.StoreTx
		hooks
	}{tx, hooks{p, tx}}
}

func (p *Platform) asRefund(tx Tx) refund.Tx {
	return struct {
		refundStoreTx
		hooks
	}{tx, hooks{p, tx}}
}

func (p *Platform) asSale(tx Tx) sale.Tx {
	return struct {
		saleStoreTx
		hooks
	}{tx, hooks{p, tx}}
}

func (p *Platform) asExchange(tx Tx) exchange.Tx {
	return struct {
		Tx
		hooks
	}{tx, hooks{p, tx}}
}

// refundStoreTx and saleStoreTx are the parts of the store that rooms need whose refunds end
// enrolments, and whose payments enrol.
type (
	refundStoreTx interface {
		refund.StoreTx
		study.StoreTx
	}
	saleStoreTx interface {
		sale.StoreTx
		study.StoreTx
	}
)

// A transaction as the rooms see it that cause nothing in later ones.
func asFiles(tx Tx) file.Tx          { return tx }
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

// hooks are what a transaction causes in later rooms.
type hooks struct {
	p  *Platform
	tx Tx
}

// UserChanged marks the courses of the user as changed.
func (h hooks) UserChanged(ctx context.Context, userID string) error {
	return h.p.Catalog.ForRooms().EducatorChanged(ctx, h.p.asCatalog(h.tx), userID)
}

// ForgetUser deletes the rows of the user in all rooms.
func (h hooks) ForgetUser(
	ctx context.Context, changes *core.Changes, userID string, at time.Time,
) error {
	return h.p.forgetUser(ctx, h.tx, changes, userID, at)
}

// ContentStored lets quizzes and due times follow the content.
func (h hooks) ContentStored(
	ctx context.Context, courseID string, content []catalog.Chapter,
) error {
	err := h.p.Assess.ForRooms().ContentStored(ctx, h.tx, courseID, content)
	if err != nil {
		return err
	}
	return h.p.Due.ForRooms().ContentStored(ctx, h.tx, courseID, content)
}

// EnrollmentEnded ends the attempts of the student in the course. What was answered in them counts,
// and the next run of Tidy marks it.
func (h hooks) EnrollmentEnded(ctx context.Context, past study.PastEnrollment) error {
	return h.tx.EndAttempts(ctx, past.UserID, past.CourseID, past.EndedAt)
}

// AccessEnded ends the attempts of the student in the course, as EnrollmentEnded does.
func (h hooks) AccessEnded(ctx context.Context, e study.Enrollment, at time.Time) error {
	return h.tx.EndAttempts(ctx, e.UserID, e.CourseID, at)
}

// PurchaseCompleted makes the receipt of the purchase.
func (h hooks) PurchaseCompleted(ctx context.Context, p purchase.Purchase) error {
	return h.p.Papers.ForRooms().PurchaseCompleted(ctx, h.tx, p)
}

// RefundCounted makes the credit note of the refund.
func (h hooks) RefundCounted(
	ctx context.Context, p purchase.Purchase, r refund.Refund, counted core.Money,
) error {
	return h.p.Papers.ForRooms().RefundCounted(ctx, h.tx, p, r, counted)
}

// RefundFailed takes the credit notes of the refund back.
func (h hooks) RefundFailed(ctx context.Context, p purchase.Purchase, r refund.Refund) error {
	return h.p.Papers.ForRooms().RefundFailed(ctx, h.tx, p, r)
}
