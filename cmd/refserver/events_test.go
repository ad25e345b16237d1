package main

import (
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// events runs a command of events and returns its output.
func events(t *testing.T, env environment, args ...string) string {
	t.Helper()
	code, stdout, stderr := commandWith(t, env, args...)
	if code != 0 {
		t.Fatalf("%v: exit code %d: %s", args, code, stderr)
	}
	return stdout
}

var eventID = regexp.MustCompile(`(?m)^[0-9a-f-]{36}`)

// Without settings the events of a server in development are lines of its log, and listed.
func TestEventsCommand_ShowsWhatADevelopmentServerLogs(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	s := serve(t, nil, dev(dir)...)
	if text := s.welcomed(t); !strings.Contains(text, "events list") {
		t.Errorf("the start-up text does not say where events are:\n%s", text)
	}
	if status, answer := call(t, http.MethodPost, s.url+"/api/user/purchase",
		s.token(t, demoStudent), `{"courseId":"free"}`); status != http.StatusOK {
		t.Fatal(answer)
	}
	await(t, "the events to be logged", func() bool {
		return strings.Contains(s.stderr.String(),
			"type=enrollment.created subject=user:"+demoStudent) &&
			strings.Count(events(t, nil, dev(dir, "events", "list", "--state=delivered")...),
				"\n") == 4
	})
	all := events(t, nil, dev(dir, "events", "list")...)
	for _, want := range []string{"course.published", "purchase.completed", "enrollment.created",
		"user:" + demoStudent} {
		if !strings.Contains(all, want) {
			t.Errorf("the list has no %s:\n%s", want, all)
		}
	}
	shown := events(t, nil, dev(dir, "events", "show", eventID.FindString(all))...)
	if !strings.Contains(shown, `"type": "course.published"`) ||
		!strings.Contains(shown, "log: delivered") {
		t.Errorf("it shows\n%s", shown)
	}
	if none := events(t, nil,
		dev(dir, "events", "list", "--target=webhook")...); !strings.Contains(none,
		"no events for the target webhook") {
		t.Errorf("another target has\n%s", none)
	}
}

// Two courses were imported while no server ran, and the receiver refused one of them for too
// long. The other one has another subject, so that it does not wait.
func TestEventsCommand_RedeliversFailedAndWaitingEvents(t *testing.T) {
	t.Parallel()
	dir, r := t.TempDir(), newEventReceiver(t)
	env := configured(providers(t), dir)
	maps.Copy(env, r.settings("/"))
	events(t, env, "import", write(t, dir, "shop.json", smallCatalogue))
	pending := eventID.FindAllString(events(t, env, "events", "list", "--state=pending"), -1)
	if len(pending) != 2 {
		t.Fatalf("after the import: %q", pending)
	}
	if code, _, stderr := commandWith(t, env, "events", "redeliver", pending[0]); code != 1 ||
		!strings.Contains(stderr, "is due already") {
		t.Errorf("a pending one: exit code %d and %q", code, stderr)
	}
	text := events(t, env, "events", "redeliver", "--failed")
	if text != "There are no such events.\n" {
		t.Errorf("none failed: %q", text)
	}
	db := openDatabase(t, env["LEARNING_DATABASE"])
	fail := func(id string) {
		t.Helper()
		if _, err := db.Exec(
			"UPDATE event_deliveries SET status = 'failed', attempts = 8, last_error = 'status " +
				"500' WHERE id = '" + id + "'"); err != nil {
			t.Fatal(err)
		}
	}
	fail(pending[0])
	if list := events(t, env, "events", "list", "--state=failed"); !strings.HasPrefix(list,
		pending[0]) || strings.Count(list, "\n") != 1 ||
		!strings.Contains(list, "attempts: 8; status 500") {
		t.Errorf("the failed ones:\n%s", list)
	}
	serve(t, env)
	isDelivered := func(id string) bool {
		return strings.Contains(events(t, env, "events", "show", id), "webhook: delivered")
	}
	await(t, "the other event", func() bool { return isDelivered(pending[1]) })
	if n := len(r.received()); n != 1 {
		t.Errorf("%d events arrived", n)
	}
	events(t, env, "events", "redeliver", pending[0])
	await(t, "the event that failed", func() bool { return isDelivered(pending[0]) })
	fail(pending[0])
	fail(pending[1])
	if text := events(t, env, "events", "redeliver", "--failed"); !strings.HasPrefix(text,
		"Due now: 2.") {
		t.Errorf("all that failed: %q", text)
	}
	await(t, "both events",
		func() bool {
			return isDelivered(pending[0]) && isDelivered(pending[1]) &&
				len(r.received()) == 4
		})
	if code, _, stderr := commandWith(t, env, "events", "redeliver", pending[0]); code != 1 ||
		!strings.Contains(stderr, "is delivered") {
		t.Errorf("a delivered one: exit code %d and %q", code, stderr)
	}

	// Both wait for hours, although the receiver works again.
	wait := func(id string) {
		t.Helper()
		_, err := db.Exec(
			"UPDATE event_deliveries SET status = 'pending', attempts = 6, last_error = 'status " +
				"500', status_at = '2999-01-01 00:00:00.000000' WHERE id = '" + id + "'")
		if err != nil {
			t.Fatal(err)
		}
	}
	wait(pending[0])
	wait(pending[1])
	if text := events(t, env, "events", "redeliver", pending[0]); !strings.HasPrefix(text,
		"Due now: 1.") {
		t.Errorf("one that waits: %q", text)
	}
	await(t, "the event that waited", func() bool { return isDelivered(pending[0]) })
	text = events(t, env, "events", "redeliver", "--failed")
	if text != "There are no such events.\n" {
		t.Errorf("none failed, and one waits: %q", text)
	}
	fail(pending[0])
	if text := events(t, env, "events", "redeliver", "--failed",
		"--pending"); !strings.HasPrefix(text, "Due now: 2.") {
		t.Errorf("one that failed and one that waits: %q", text)
	}
	await(t, "both events",
		func() bool {
			return isDelivered(pending[0]) && isDelivered(pending[1]) &&
				len(r.received()) == 7
		})
}

func TestEventsCommand_ExplainsErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dev(dir) // creates the tables
	database := "--database=sqlite:" + filepath.Join(dir, "learning.db")
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{1, `there is no event "x"`, []string{"show", "x"}},
		{1, `there is no event "x"`, []string{"redeliver", "x"}},
		{1, "ids of events, or --failed", []string{"redeliver"}},
		{1, "ids of events, or --failed", []string{"redeliver", "--failed", "x"}},
		{1, "ids of events, or --failed", []string{"redeliver", "--pending", "x"}},
		{1, "LEARNING_EVENTS_SECRET", []string{"list", "--events-url=https://hooks.example.org"}},
		{2, "--state", []string{"list", "--state=lost"}},
		{2, "<id>", []string{"show"}},
		{2, "--help", []string{}},
	} {
		code, stdout, stderr := command(t, append([]string{database, "events"}, c.args...)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit code %d, %q and %q, which lacks %q", c.args, code, stdout, stderr,
				c.want)
		}
	}
}

// A command changes data without a server that runs, so it must write the events.
func TestRevokeCommand_WritesAnEvent(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	s := serve(t, nil, dev(dir)...)
	id := certificateOf(t, s)
	s.stop(t)
	events(t, nil, dev(dir, "revoke", id, "--reason=A mistake")...)
	if list := events(t, nil,
		dev(dir, "events", "list", "--state=pending")...); !strings.Contains(list,
		"certificate.revoked") {
		t.Errorf("the events are\n%s", list)
	}
}

// certificateOf completes the free course as the demo's student, and returns the id of the
// certificate.
func certificateOf(t *testing.T, s *server) (id string) {
	t.Helper()
	token := s.token(t, demoStudent)
	ask := func(method, path, body string) map[string]any {
		t.Helper()
		status, answer := call(t, method, s.url+path, token, body)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %v", path, status, answer)
		}
		return answer
	}
	ask(http.MethodPost, "/api/user/purchase", `{"courseId":"free"}`)
	course := ask(http.MethodGet, "/api/user/enrolled-courses/free",
		"")["courseData"].(map[string]any)
	lecture := course["courseContent"].([]any)[0].(map[string]any)["chapterContent"].([]any)[0].(map[string]any)["lectureId"].(string)
	ask(http.MethodPost, "/api/user/update-course-progress",
		`{"courseId":"free","lectureId":"`+lecture+`"}`)
	pdf, _ := ask(http.MethodPost, "/api/user/certificate/generate/free", "")["pdfUrl"].(string)
	return certificateFile.FindStringSubmatch(strings.TrimPrefix(pdf, s.url))[1]
}

// A server that stops does not wait for its receiver. The delivery does not count as an attempt,
// and the log contains neither the URL nor a secret.
func TestDrain_DeliveryInProgressIsCancelled(t *testing.T) {
	t.Parallel()
	dir, r := t.TempDir(), newEventReceiver(t)
	env := configured(providers(t), dir)
	maps.Copy(env, r.settings("/hooks?token=sesame"))
	events(t, env, "import", write(t, dir, "shop.json", smallCatalogue))
	r.setFault(inRotation("500", "hang"))
	s := serve(t, env)
	await(t, "a delivery to hang and another to fail", func() bool {
		return r.count("hang") > 0 &&
			strings.Contains(s.stderr.String(), "an event was not delivered")
	})
	if code := s.stop(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	list := events(t, env, "events", "list", "--state=pending")
	if strings.Count(list, "\n") != 2 ||
		strings.Count(list, "attempts: 1; webhook: the remote server answered status 500") != 1 {
		t.Errorf("the events are\n%s", list)
	}
	for _, hidden := range []string{"sesame", newEventSecret, oldEventSecret, "v1,"} {
		if strings.Contains(s.stderr.String(), hidden) {
			t.Errorf("the log has %q", hidden)
		}
	}
}
