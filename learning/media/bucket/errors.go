package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning/file"
)

// explain returns an error that is safe to log: it has the status and the code of an answer,
// and not its text. A missing object is [fs.ErrNotExist], an object that exists [fs.ErrExist], and
// one for which there is no space wraps [file.ErrNoSpace].
func explain(err error) error {
	var answer minio.ErrorResponse
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &answer): // the service did not answer
		return provider.Cause(err)
	case answer.Code == minio.NoSuchKey: // minio sets it for a 404 without a body too, as of HEAD
		return fs.ErrNotExist
	case answer.StatusCode == http.StatusPreconditionFailed: // of the condition of create
		return fs.ErrExist
	}
	refused := &refusal{answer.StatusCode, answer.Code}
	if refused.isFull() {
		return fmt.Errorf("%w: %w", file.ErrNoSpace, refused)
	}
	return refused
}

// isFull reports whether the service has no space for an object. Amazon's has no bound; others have
// codes of their own.
func (r *refusal) isFull() bool {
	return r.status == http.StatusInsufficientStorage || strings.Contains(r.code, "StorageFull") ||
		strings.Contains(r.code, "QuotaExceeded") || strings.Contains(r.code, "StorageCap")
}

// refusal is an answer of the service that is an error.
type refusal struct {
	status int
	code   string // such as AccessDenied
}

// Error returns the status and the code.
func (r *refusal) Error() string {
	return fmt.Sprintf("the bucket's service answered status %d, code %.50q", r.status, r.code)
}

// advice returns a text that says what an operator should do about an error of [Bucket.check].
func (b *Bucket) advice(err error) string {
	refused, isRefusal := errors.AsType[*refusal](err)
	if !isRefusal {
		if errors.Is(err, context.Canceled) {
			return "the check was cancelled"
		}
		return "check that the endpoint is right and that the service runs and is reachable " +
			"from here"
	}
	switch refused.code {
	case minio.NoSuchBucket:
		return fmt.Sprintf("create the bucket %q, or correct its name", b.name)
	case "InvalidAccessKeyId":
		return "the service does not know the key id: check the key id and the endpoint"
	case "SignatureDoesNotMatch":
		return "the secret of the key is wrong"
	case minio.AccessDenied, "AllAccessDisabled":
		return "allow the key s3:GetObject, s3:PutObject and s3:DeleteObject on the objects, and " +
			"s3:ListBucket on the bucket"
	case "AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect", "InvalidRegion",
		"IllegalLocationConstraintException":
		return "check the region of the bucket"
	case "RequestTimeTooSkewed":
		return "correct the clock of this machine"
	}
	if refused.status >= http.StatusInternalServerError {
		return "the service has a failure: try again later"
	}
	return "check the endpoint, the region, the name of the bucket and the key"
}
