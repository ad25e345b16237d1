package people

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/wordindex"
	"github.com/openlectern/openlectern/learning/core"
)

// Service has the operations on users: who a caller is, what the identity provider tells, roles
// and the list of users. It is safe for concurrent use.
type Service struct {
	base  core.Base[Tx]
	store Reader
	ports Ports
}

// Ports are the parts of the identity provider. Each may be nil; the operations that need it return
// an error then.
type Ports struct {
	Tokens   TokenVerifier
	Roles    RoleGranter
	Webhooks WebhookVerifier
}

// New returns the service.
func New(base core.Base[Tx], store Reader, ports Ports) *Service {
	return &Service{base: base, store: store, ports: ports}
}

// Reader is what the room reads, inside or outside a transaction.
type Reader interface {
	UserReader
	UserReportReader
	wordindex.Reader
}

// StoreTx is what the room writes: a transaction of the store.
type StoreTx interface {
	AccountTx
	Reader
	UserWriter
	wordindex.Writer
}

// Tx is a transaction of the room.
type Tx interface {
	StoreTx
	Hooks
}

// Hooks are what a change of a user causes in later rooms, in the same transaction.
type Hooks interface {
	// UserChanged is called when the record of a user has changed: the courses of an educator show
	// the name, and searches find them by it.
	UserChanged(ctx context.Context, userID string) error
	// ForgetUser deletes what belongs to a user alone, after the words of the user and before the
	// role.
	ForgetUser(ctx context.Context, changes *core.Changes, userID string, at time.Time) error
}

// System has the operations of the host itself on users. They take no actor and check no
// permission, so nothing that a user sends may reach them unchecked.
type System struct{ service *Service }

// System returns the operations that take no actor.
func (s *Service) System() System { return System{s} }

// ForRooms is what later rooms ask of this one. It checks no permission.
type ForRooms Service

// ForRooms returns what later rooms ask of this one.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
