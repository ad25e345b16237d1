package contracttest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
)

// AnswerCheck is a check of an answer in addition to the comparison with the case. sent is the
// body of the request.
type AnswerCheck func(t *testing.T, c *Case, sent string, got *Response)

// Run sends the request of a case to a server that start starts, and compares the answer and the
// changes. With rewrite, it writes the answer and the changes to its file instead, if
// they differ.
func (c *Case) Run(t *testing.T, start Engine, rewrite bool, checks ...AnswerCheck) {
	t.Helper()
	if c.Answer == "" && !rewrite {
		t.Fatal(c.Unanswered())
	}

	// Start the server, and send the requests that precede that of the case.
	s := Prepare(t, c)
	srv := start(t, s)
	s.SendEarlier(t, srv)

	// Send the request, and find out what it has changed: rows, providers, files and the log.
	before, warned := srv.Look(), srv.warnings()
	e := srv.Expander(t)
	got := Send(t, srv.Addr, e.Build(c.Request))
	srv.awaitLog(t, got)
	if srv.host.changesHeaders {
		got.checkOfHost(t)
	} else {
		got.CheckCommon(t)
	}
	for _, check := range checks {
		check(t, c, e.body, got)
	}
	checkLog(t, srv.Log(), e.secrets)
	changed := srv.ChangesSince(before) + strings.TrimPrefix(srv.warnings(), warned)

	// Compare, without what may differ: headers that a host adds or changes, lists of an export
	// that the case leaves out, and times of a real clock.
	wantAnswer, wantChanges := Compacted(c.Answer), c.Changes
	answer := Compacted(got.Text(c.allHeaders))
	if !rewrite {
		answer, wantAnswer = srv.host.comparable(answer, wantAnswer)
	}
	if c.Route == "user.export" && c.Name != "success" && wantAnswer != "" {
		answer = withoutEmptyLists(answer, wantAnswer)
	}
	if srv.RealClock {
		wantAnswer, wantChanges = loosened(wantAnswer), loosened(wantChanges)
	}
	right := Matches(answer, wantAnswer) && Matches(changed, wantChanges)
	if rewrite && !right {
		check(t, c.write(keepMarks(c.Answer, generalise(Indented(answer))), generalise(changed)))
		t.Logf("wrote the answer and the changes to %s", c.File)
	}
	if rewrite {
		return
	}
	compareTexts(t, "answer", answer, wantAnswer)
	compareTexts(t, "changes", changed, wantChanges)
}

// SendEarlier sends the requests that precede that of the case.
func (s *Setup) SendEarlier(t *testing.T, srv *Server) {
	t.Helper()
	for _, request := range s.earlier {
		srv.awaitLog(t, Send(t, srv.Addr, srv.Expander(t).Build(request)))
	}
}

// withoutEmptyLists removes the empty lists that the case does not have from the answer of an
// export. So a new list changes only the case success, which has the names of all lists, and the
// cases with rows of it.
func withoutEmptyLists(answer, want string) string {
	for _, list := range learning.ExportLists() {
		field := `,"` + list.Name + `":[`
		if !strings.Contains(want, field) {
			answer = strings.Replace(answer, field+"]", "", 1)
		}
	}
	return answer
}

// awaitLog waits until the line of a request is in the log of a server that is another process,
// because such a server answers before it has written its log. Only such a server has a real clock.
// A server in this process needs no wait.
func (srv *Server) awaitLog(t *testing.T, answer *Response) {
	t.Helper()
	id := answer.Header.Get("X-Request-Id")
	if !srv.RealClock || id == "" { // without an id, net/http has refused the request
		return
	}
	for deadline := time.Now().Add(answerTime); !strings.Contains(srv.Log(),
		"request_id="+id); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("request %s is not in the log:\n%s", id, srv.Log())
		}
	}
}

// fixtureSecrets must not be in any log. The last two are part of every e-mail address and of the
// URL of every paid lecture.
var fixtureSecrets = []string{GatewayKeySecret, GatewayWebhookSecret, GatewaySecondSecret,
	StripeKey, StripeWebhookSecret, IdentityAPIKey, IdentitySecret, IdentitySecondSecret, AIAPIKey,
	SecretSolution, SecretMessage,
	"@example.com", "/paid/"}

// checkLog checks that a log has none of fixtureSecrets and none of secrets, which a request had.
func checkLog(t *testing.T, log string, secrets []string) {
	t.Helper()
	for _, secret := range slices.Concat(fixtureSecrets, secrets) {
		if strings.Contains(log, secret) {
			t.Errorf("%q is in the log:\n%s", secret, log)
		}
	}
}

// compareTexts fails the test if got does not match want, which may have marks for generated
// values. what names the texts.
func compareTexts(t *testing.T, what, got, want string) {
	t.Helper()
	if !Matches(got, want) {
		t.Errorf("%s (-want +got):\n%s", what,
			cmp.Diff(strings.Split(want, "\n"), strings.Split(generalise(got), "\n")))
	}
}

// Expander returns an expander for one request to the server.
func (srv *Server) Expander(t *testing.T) *Expander {
	return &Expander{TB: t, Providers: srv.Sandbox, Now: srv.Now, prefix: srv.host.prefix}
}
