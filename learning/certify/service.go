package certify

import (
	"context"
	"sync/atomic"

	"github.com/openlectern/openlectern/internal/singleflight"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/study"
)

// Service has the operations on certificates and on the credentials that are signed for
// them. It is safe for concurrent use.
type Service struct {
	base    core.Base[Tx]
	store   Reader
	files   *file.Service
	catalog *catalog.Service
	study   *study.ForRooms

	issuerName  string
	media       file.Media          // nil for none
	renderer    CertificateRenderer // nil for none
	url         string              // the start of the URLs of certificates, with a slash at the end
	credentials CredentialIssuer    // nil for none

	// Calls of this process that are in flight, by the id of the certificate.
	pdfCreations singleflight.Group[string, Certificate]
	pdfRemovals  singleflight.Group[string, struct{}]

	signatures  signatureCache
	revocations atomic.Uint64 // counts the certificates that were revoked in this process
}

// Settings are the providers of a [Service], and what certificates show.
type Settings struct {
	IssuerName  string              // of new certificates
	Media       file.Media          // nil for none
	Renderer    CertificateRenderer // nil for none
	URL         string              // the start of the URLs of certificates, with a slash at the end
	Credentials CredentialIssuer    // nil for none
}

// New returns the service.
func New(
	base core.Base[Tx], store Reader, files *file.Service, courses *catalog.Service,
	students *study.ForRooms, settings Settings,
) *Service {
	s := &Service{
		base:        base,
		store:       store,
		files:       files,
		catalog:     courses,
		study:       students,
		issuerName:  settings.IssuerName,
		media:       settings.Media,
		renderer:    settings.Renderer,
		url:         settings.URL,
		credentials: settings.Credentials,
	}
	s.pdfCreations.OnPanic = base.LogPanic // a panic of a shared call is logged once
	s.pdfRemovals.OnPanic = base.LogPanic
	s.signatures.calls.OnPanic = base.LogPanic
	return s
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a
// single row returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	certificateReader
	catalog.ContentReader
	study.ProgressReader
	study.AccessReader
	core.AccountReader
	// UnpassedQuizzes lists the ids of the chapters of a course whose quiz is stored and by hand,
	// and at whose quizzes a user has no result that is passed, in order.
	UnpassedQuizzes(ctx context.Context, userID, courseID string) ([]string, error)
	// GradedAssignments lists the lectures of a course in which the latest submission of a user
	// that is decided is graded, by their ids.
	GradedAssignments(ctx context.Context, userID, courseID string) ([]string, error)
}

// StoreTx is what a store implements for the transactions of the room.
type StoreTx interface {
	core.Tx
	Reader
	certificateWriter
}

// Tx is a transaction of the room.
type Tx interface {
	StoreTx
	file.UnusedFileTx
}

// System has the operations of the host itself on certificates. They take no actor and check
// no permission, so nothing that a user sends may reach them unchecked.
type System struct{ service *Service }

// System returns the operations that take no actor.
func (s *Service) System() System { return System{s} }

// ForRooms is what later rooms and package learning ask of this one. It checks no
// permission, so nothing that a user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what later rooms ask of this one.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
