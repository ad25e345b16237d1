package learning

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/wordindex"
	"github.com/openlectern/openlectern/learning/core"
)

// peopleService has the operations on users: who a caller is, what the identity provider tells, roles
// and the list of users. It is safe for concurrent use.
type peopleService struct {
	base  core.Base[peopleTx]
	store peopleReader
	ports peoplePorts
}

// peoplePorts are the parts of the identity provider. Each may be nil; the operations that need it return
// an error then.
type peoplePorts struct {
	Tokens   TokenVerifier
	Roles    RoleGranter
	Webhooks WebhookVerifier
}

// newPeople returns the service.
func newPeople(base core.Base[peopleTx], store peopleReader, ports peoplePorts) *peopleService {
	return &peopleService{base: base, store: store, ports: ports}
}

// peopleReader is what the room reads, inside or outside a transaction.
type peopleReader interface {
	UserReader
	UserReportReader
	wordindex.Reader
}

// peopleStoreTx is what the room writes: a transaction of the store.
type peopleStoreTx interface {
	AccountTx
	peopleReader
	UserWriter
	wordindex.Writer
}

// peopleTx is a transaction of the room.
type peopleTx interface {
	peopleStoreTx
	peopleHooks
}

// peopleHooks are what a change of a user causes in later rooms, in the same transaction.
type peopleHooks interface {
	// UserChanged is called when the record of a user has changed: the courses of an educator show
	// the name, and searches find them by it.
	UserChanged(ctx context.Context, userID string) error
	// ForgetUser deletes what belongs to a user alone, after the words of the user and before the
	// role.
	ForgetUser(ctx context.Context, changes *core.Changes, userID string, at time.Time) error
}

// peopleSystem has the operations of the host itself on users. They take no actor and check no
// permission, so nothing that a user sends may reach them unchecked.
type peopleSystem struct{ service *peopleService }

// System returns the operations that take no actor.
func (s *peopleService) System() peopleSystem { return peopleSystem{s} }
