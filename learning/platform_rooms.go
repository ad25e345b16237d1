package learning

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
	"github.com/openlectern/openlectern/learning/tutor"
)

// addRooms makes the services of the rooms, in the order of the rooms. The functions asPeople and
// the like are how the compiler checks that a transaction of the store has all that a room needs. A
// room that causes something in a later one gets it there, in the same transaction.
func (p *Platform) addRooms() {
	asPeople := func(tx Tx) people.Tx { return peopleHooked{tx, p} }
	p.People = people.New(core.Narrow(p.base, asPeople), p.store, p.identity)

	p.Catalog = catalog.New(core.Narrow(p.base, asCatalog), p.store, p.catalogSettings)

	p.Study = study.New(core.Narrow(p.base, asStudy), p.store, p.Catalog.ForRooms())

	asAssess := func(tx Tx) assess.Tx { return tx }
	var recommendations assess.Recommender
	if p.tutorSettings.AI != nil {
		recommendations = recommender{p}
	}
	p.Assess = assess.New(core.Narrow(p.base, asAssess), p.store, p.Catalog.ForRooms(),
		p.Study.ForRooms(), recommendations)

	asCertify := func(tx Tx) certify.Tx { return tx }
	settings := p.certifySettings
	settings.IssuerName, settings.Media = p.name, p.catalogSettings.Media
	p.Certify = certify.New(core.Narrow(p.base, asCertify), p.store, p.Catalog, p.Study.ForRooms(),
		settings)

	asSale := func(tx Tx) sale.Tx { return studyHooked{tx} }
	p.Sales = sale.New(core.Narrow(p.base, asSale), p.store, p.People.ForRooms(),
		p.Catalog.ForRooms(), p.Study.ForRooms(), p.Certify.ForRooms(), p.saleSettings)

	asCommunity := func(tx Tx) community.Tx { return tx }
	p.Community = community.New(core.Narrow(p.base, asCommunity), p.store, p.Catalog.ForRooms(),
		p.Study.ForRooms())

	asStaff := func(tx Tx) staff.Tx { return tx }
	p.Staff = staff.New(core.Narrow(p.base, asStaff), p.store, p.People.ForRooms(),
		p.Catalog.ForRooms(), p.Assess.ForRooms(), p.saleSettings.Currency)
	asTutor := func(tx Tx) tutor.Tx { return tx }
	p.Tutor = tutor.New(core.Narrow(p.base, asTutor), p.store, p.Catalog.ForRooms(),
		p.Study.ForRooms(), p.Assess.ForRooms(), p.tutorSettings)

	asExchange := func(tx Tx) exchange.Tx { return exchangeHooked{peopleHooked{tx, p}} }
	p.Exchange = exchange.New(core.Narrow(p.base, asExchange), p.store, exchange.Rooms{
		People: p.People, Catalog: p.Catalog, Study: p.Study.ForRooms(), Assess: p.Assess,
		Certify: p.Certify.ForRooms(), Sales: p.Sales.ForRooms(),
		Community: p.Community.ForRooms(),
	}, p.saleSettings.Currency)

	// The order is one of locks. Submissions come before the files that they use, and what belongs
	// to a course before the course.
	p.rooms = []core.Room[Tx]{
		core.NarrowRoom(p.People.ForRooms(), asPeople),
		core.NarrowRoom(p.Staff.ForRooms(), asStaff),
		core.NarrowRoom(p.Study.ForRooms(), asStudy),
		core.NarrowRoom(p.Tutor.ForRooms(), asTutor),
		core.NarrowRoom(p.Community.ForRooms(), asCommunity),
		core.NarrowRoom(p.Assess.ForRooms(), asAssess),
		core.NarrowRoom(p.Certify.ForRooms(), asCertify),
		core.NarrowRoom(p.Sales.ForRooms(), asSale),
		core.NarrowRoom(p.Catalog.ForRooms(), asCatalog),
		core.NarrowRoom(p.Exchange.ForRooms(), asExchange),
	}
}

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
	return tx.p.Catalog.ForRooms().EducatorChanged(ctx, asCatalog(tx.Tx), userID)
}

// ForgetUser deletes the rows of the user in all rooms.
func (tx peopleHooked) ForgetUser(
	ctx context.Context, changes *core.Changes, userID string, at time.Time,
) error {
	return tx.p.forgetUser(ctx, tx.Tx, changes, userID, at)
}

// asCatalog returns a transaction as room catalog sees it.
func asCatalog(tx Tx) catalog.Tx { return catalogHooked{tx} }

// catalogHooked is a transaction as room catalog sees it.
type catalogHooked struct{ Tx }

// ContentReplaced removes the quizzes of the chapters that are gone.
func (tx catalogHooked) ContentReplaced(
	ctx context.Context, courseID string, content []catalog.Chapter,
) error {
	return assess.RemoveQuizzesOf(ctx, tx.Tx, courseID, content)
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

// exchangeHooked is a transaction as room exchange sees it.
type exchangeHooked struct{ peopleHooked }

// EnrollmentEnded ends the attempts of the student in the course.
func (tx exchangeHooked) EnrollmentEnded(ctx context.Context, past study.PastEnrollment) error {
	return studyHooked{tx.Tx}.EnrollmentEnded(ctx, past)
}
