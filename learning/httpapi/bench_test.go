package httpapi_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// benchClients is the number of concurrent clients.
const benchClients = 16

func platformHandler(tb testing.TB, k *learningtest.Kit) http.Handler {
	tb.Helper()
	h, err := httpapi.New(k.Platform)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// serve serves a handler on a port of 127.0.0.1 until the benchmark ends.
func serve(tb testing.TB, h http.Handler) string {
	tb.Helper()
	s := httptest.NewServer(h)
	tb.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// compareHTTP compares two servers that must give the same answer.
func compareHTTP(b *testing.B, wanted float64, ours, bare request) {
	b.Helper()
	if !bytes.Equal(ours.answer.body, bare.answer.body) || len(ours.answer.body) < 100 {
		b.Fatalf("the answers differ:\nours %.300s\nbare %.300s", ours.answer.body,
			bare.answer.body)
	}
	b.SetBytes(int64(len(ours.answer.body)))
	baseline.Run(b, wanted, baseline.Side{Do: ours.clients(b, benchClients)},
		baseline.Side{Do: bare.clients(b, benchClients)})
}
