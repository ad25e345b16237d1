package certify_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
)

func TestCertificates_OnlyOnesOwn(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		_ *roomtest.Renderer) {
		w.Course(t, "go", 0)
		w.Course(t, "rust", 0)
		ada, eve := w.Graduates(t, "ada", "go"), w.Graduates(t, "eve", "go")
		first := w.Generated(t, ada, "go")
		w.Generated(t, eve, "go")
		w.Clock.Advance(time.Second)
		w.Graduates(t, "ada", "rust")
		second := w.Generated(t, ada, "rust")
		list, err := w.Platform.Certify.Certificates(ctx(), ada)
		if diff := cmp.Diff([]certify.Certificate{second, first}, list); diff != "" || err != nil {
			t.Error(err, diff)
		}
		if _, err := w.Platform.Certify.Certificates(ctx(), learning.Actor{}); !errors.Is(err,
			core.ErrUnauthenticated) {
			t.Error(err)
		}
	})
}
