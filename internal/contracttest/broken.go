package contracttest

import (
	"context"
	"errors"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/payment"
)

// ErrInternal is an error whose text no caller may read.
var ErrInternal = errors.New(
	"open /var/lib/learning/secret.db: INSERT INTO users VALUES ('password=hunter2') failed: " +
		"panic: token eyJhbGciOi")

// Traces are parts of the texts of internal errors. An answer with any of them is a leak.
var Traces = []string{"/var/lib", "secret", "INSERT", "hunter2", "panic", "eyJ", "learning.",
	".go:", "goroutine", "SQL", "no such table"}

// ReadOnly is a store in which no transaction succeeds.
type ReadOnly struct{ learning.Store }

// InTx returns ErrInternal.
func (ReadOnly) InTx(context.Context, func(learning.Tx) error) error { return ErrInternal }

// brokenMedia stores nothing.
type brokenMedia struct{ file.Media }

// Put returns ErrInternal.
func (brokenMedia) Put(context.Context, string, string, []byte) error { return ErrInternal }

// unpaidProvider is asked whether an order is paid, in place of the gateway, and says that it is
// not.
type unpaidProvider struct{ payment.Provider }

// Name returns the name of the gateway.
func (unpaidProvider) Name() string { return payment.NameGateway }

// KeyID returns a key.
func (unpaidProvider) KeyID() string { return GatewayKeyID }

// Accepts accepts what the gateway accepts.
func (unpaidProvider) Accepts(currency string) (core.AmountRule, bool) {
	return core.AmountRule{Smallest: 1_00, Step: 1}, core.HasTwoDecimals(currency)
}

// CheckProof returns [payment.ErrIncomplete].
func (unpaidProvider) CheckProof(context.Context, payment.Proof) (payment.Payment, error) {
	return payment.Payment{}, payment.ErrIncomplete
}
