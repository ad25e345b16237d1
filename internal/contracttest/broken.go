package contracttest

import (
	"context"
	"errors"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
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
type brokenMedia struct{ catalog.Media }

// Put returns ErrInternal.
func (brokenMedia) Put(context.Context, string, string, []byte) error { return ErrInternal }
