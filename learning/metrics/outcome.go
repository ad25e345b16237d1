package metrics

import (
	"context"
	"errors"
	"strings"

	"github.com/openlectern/openlectern/learning/core"
)

// outcome returns the value of the label outcome for the error of an operation, which is nil if
// there was none: ok, timeout, canceled or error.
func outcome(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	return "error"
}

// transactionOutcomes are the results of [transactionOutcome].
var transactionOutcomes = []string{"ok", "rolled_back", "timeout", "canceled", "unknown"}

// transactionOutcome returns the outcome of a transaction. A rule that refuses an operation
// rolls its transaction back, so that is no error.
func transactionOutcome(err error) string {
	if errors.Is(err, core.ErrUnknownOutcome) {
		return "unknown"
	}
	if result := outcome(err); result != "error" {
		return result
	}
	return "rolled_back"
}

// limitOutcome returns the outcome of counting a request towards a rate limit: a RetryableError is
// the answer of a limit that is reached, any other error that of a limiter that does not work.
func limitOutcome(err error) string {
	if err == nil {
		return "allowed"
	}
	if _, refused := errors.AsType[*core.RetryableError](err); refused {
		return "refused"
	}
	return "failed"
}

// cutLast cuts a name at its last dot. If there is none, before is "", and after is the name.
func cutLast(name string) (before, after string) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:]
}
