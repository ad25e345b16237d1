package learning_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
)

func TestCertificates_OnlyOnesOwn(t *testing.T) {
	withCertificatesOnEngines(t, func(t *testing.T, w *fixture, _ *fakeRenderer) {
		w.Course(t, "go", 0)
		w.Course(t, "rust", 0)
		ada, eve := w.graduates(t, "ada", "go"), w.graduates(t, "eve", "go")
		first := w.generated(t, ada, "go")
		w.generated(t, eve, "go")
		w.Clock.Advance(time.Second)
		w.graduates(t, "ada", "rust")
		second := w.generated(t, ada, "rust")
		list, err := w.Platform.Certificates(ctx(), ada)
		if diff := cmp.Diff([]learning.Certificate{second, first}, list); diff != "" || err != nil {
			t.Error(err, diff)
		}
		if _, err := w.Platform.Certificates(ctx(), learning.Actor{}); !errors.Is(err,
			learning.ErrUnauthenticated) {
			t.Error(err)
		}
	})
}
