package httpapi_test

import (
	"context"
	"errors"

	"github.com/openlectern/openlectern/learning"
)

// errInternal is an error whose text no caller may read.
var errInternal = errors.New("open /var/lib/learning/secret.db: INSERT INTO users VALUES ('password=hunter2') failed: panic: token eyJhbGciOi")

// traces are parts of the texts of internal errors. An answer with any of them is a leak.
var traces = []string{"/var/lib", "secret", "INSERT", "hunter2", "panic", "eyJ", "learning.", ".go:", "goroutine", "SQL", "no such table"}

// readOnly is a store in which no transaction succeeds.
type readOnly struct{ learning.Store }

func (readOnly) InTx(context.Context, func(learning.Tx) error) error { return errInternal }

// brokenMedia stores nothing.
type brokenMedia struct{ learning.Media }

func (brokenMedia) Put(context.Context, string, string, []byte) error { return errInternal }
