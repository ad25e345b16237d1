package contracttest

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/openlectern/openlectern/internal/providertest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/ai"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// tooLate returns a precondition: an operation of a provider hangs. The first request for it times
// out after the provider has received it. of returns the provider of a sandbox.
func tooLate[P interface{ Faults() *sandbox.Faults }](of func(*sandbox.Sandbox) P,
	op string) func(*Setup, *Case, []string) {
	return func(s *Setup, _ *Case, _ []string) {
		s.InProcess = true
		s.clients = append(s.clients, func(t *testing.T, sb *sandbox.Sandbox) []learning.Option {
			of(sb).Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultHang, On: op})
			// The client times out when the provider has counted the call.
			late := &providertest.Late{Effects: func() int { return of(sb).Faults().Calls(op) }}
			late.Next(1)
			return LateProviders(t, late, sb)
		})
	}
}

// LateProviders returns the options for providers whose answers come late.
func LateProviders(t *testing.T, late *providertest.Late, sb *sandbox.Sandbox) []learning.Option {
	t.Helper()
	options, err := late.Providers(sb)
	check(t, err)
	return options
}

// silentAI returns the option for a client of the sandbox's AI. If the connection breaks while the
// client reads, it behaves as if the answer had timed out.
func silentAI(t *testing.T, sb *sandbox.Sandbox) []learning.Option {
	t.Helper()
	model, err := ai.New(sb.Config().URL+"/v1", AIAPIKey, sandbox.AIModel,
		ai.WithTransport(silentTransport{}))
	check(t, err)
	return []learning.Option{learning.WithAI(model)}
}

// silentTransport is the default transport with silentBody in place of each body.
type silentTransport struct{}

func (silentTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		answer.Body = silentBody{answer.Body}
	}
	return answer, err
}

// silentBody is a body that returns the error of a time-out in place of any other, except io.EOF.
type silentBody struct{ io.ReadCloser }

func (b silentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = context.DeadlineExceeded
	}
	return n, err
}
