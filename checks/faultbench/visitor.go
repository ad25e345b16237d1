//go:build linux

package faultbench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/learning/sandbox"
)

const (
	answerTime = time.Minute            // a request that takes longer has failed
	tries      = 8                      // of a request that may be repeated
	tryPause   = 700 * time.Millisecond // between these
	tokenTime  = 12 * time.Hour         // for which a token is valid
	// before each request, so that visitors do not use all of the processor
	thinkTime = 30 * time.Millisecond
)

// visitor plays one user of the platform after the other, each from the sign-in to the certificate.
type visitor struct {
	number  int
	random  *rand.Rand
	client  *http.Client
	servers []string // URLs
	box     *sandbox.Sandbox
	journal *journal
	claims  *claims

	id, token string // of the present user
	users     int    // how many there have been
	refusal   string // the body of the last answer if that was 4xx, and else ""
}

// newVisitor returns a visitor. Its users and its random choices depend on the number, so that no
// two visitors of a run may have the same one.
func newVisitor(b *bench, number int) *visitor {
	return &visitor{number: number, random: rand.New(rand.NewPCG(b.seed, uint64(100+number))),
		client:  &http.Client{Transport: &http.Transport{}},
		servers: b.urls(), box: b.box, journal: b.journal, claims: b.claims}
}

// visit plays one new user. What the user does depends on random numbers and on the answers.
func (v *visitor) visit(ctx context.Context) {
	if !v.join() {
		return
	}
	v.browse(ctx)
	bought := v.random.IntN(len(courses))
	course := courses[bought]
	// Buy a course, study it, and perhaps ask for the money back.
	sale, isEnrolled := v.buy(ctx, course)
	if isEnrolled {
		v.study(ctx, course)
		v.takeQuiz(ctx, course)
		v.graduate(ctx, course)
	}
	v.regret(ctx, sale, isEnrolled)
	// Use the community; some get another course from an admin.
	v.talk(ctx)
	if v.random.IntN(4) == 0 {
		v.getGrant(ctx, courses[(bought+1)%len(courses)])
	}
	// Some change their name, others become educators, and nobody does both: see apply.
	switch v.random.IntN(6) {
	case 0, 1:
		v.rename()
	case 2, 3:
		if v.apply(ctx) {
			v.teach(ctx)
		}
	}
}

// join creates a user at the identity provider, which sends an event, and signs the user in. It
// reports whether that succeeded; if not, it has recorded a problem.
func (v *visitor) join() bool {
	v.users++
	v.id = fmt.Sprintf("user_%d_%d", v.number, v.users)
	user := sandbox.User{ID: v.id, FirstName: "Visitor", LastName: v.id}
	if err := v.box.Identity().PutUser(user); err != nil {
		v.journal.problem("create a user: %v", err)
		return false
	}
	v.claims.add(v.id, user.Name(), claimName)
	// A token is valid also before the platform has got the event.
	var err error
	if v.token, err = v.box.Identity().Token(v.id, sandbox.WithTTL(tokenTime)); err != nil {
		v.journal.problem("create a token: %v", err)
	}
	return err == nil
}

// rename changes the name of the user. The event may come before the one of its creation.
func (v *visitor) rename() {
	user := sandbox.User{ID: v.id, FirstName: "Renamed", LastName: v.id}
	if err := v.box.Identity().PutUser(user); err != nil {
		v.journal.problem("rename a user: %v", err)
	}
	v.claims.add(v.id, user.Name(), claimName)
}

// browse reads what everyone can read. Its answers are not used.
func (v *visitor) browse(ctx context.Context) {
	v.call(ctx, "course.list", areaPlain, http.MethodGet, "/api/course/all", nil, nil)
	v.call(ctx, "course.get", areaPlain, http.MethodGet, "/api/course/"+courses[0].id, nil, nil)
	v.call(ctx, "post.list", areaPlain, http.MethodGet, "/api/community/posts?page=1", nil, nil)
	v.call(ctx, "group.list", areaPlain, http.MethodGet, "/api/community/groups", nil, nil)
}

// body is a JSON object.
type body = map[string]any

// call sends a request to one of the servers, decodes an answer 200 into out, and returns the
// status, or 0 if there is no whole answer. in is the body, or nil; out may be nil. route and area
// are for the journal.
func (v *visitor) call(ctx context.Context, route string, area area, method, path string, in body,
	out any) int {
	return v.exchange(ctx, request{route: route, area: area}, out, func(url string) (int, []byte) {
		return v.send(ctx, method, url+path, in)
	})
}

// exchange does what call does, with a function that sends the request to the URL of a server: it
// waits for thinkTime, sends the request to one of the servers, records it in the journal, keeps
// the text of a refusal, and decodes an answer 200 into out unless that is nil. The caller sets the
// route and the area of r.
func (v *visitor) exchange(ctx context.Context, r request, out any,
	send func(url string) (int, []byte)) int {
	if backoff.Sleep(ctx, thinkTime) != nil {
		return 0
	}
	r.server, r.started = v.random.IntN(len(v.servers)), time.Now()
	// Send it to one of the servers, and record what came of it.
	status, text := send(v.servers[r.server])
	r.status = status
	r.done = time.Now()
	r.text = string(text)
	if errors.Is(ctx.Err(), context.Canceled) {
		return 0 // the run was interrupted: what came of the request says nothing
	}
	v.journal.record(r)
	v.refusal = ""
	if status/100 == 4 {
		v.refusal = string(text)
	}
	// An invalid answer is a problem. So is a refusal, because visitors send valid requests.
	switch {
	case status == http.StatusOK && out != nil:
		if err := json.Unmarshal(text, out); err != nil {
			v.journal.problem("%s answered 200 with %.300s: %v", r.route, text, err)
		}
	case status == http.StatusBadRequest, status == http.StatusUnauthorized && r.area != areaFile:
		v.journal.problem("%s was refused with %d: %.300s", r.route, status, text)
	}
	return status
}

// send sends a request with in as its JSON body, or without a body if in is nil. It returns the
// status and the body of the answer, or 0 and the text of the error.
func (v *visitor) send(ctx context.Context, method, url string, in body) (int, []byte) {
	var content []byte
	if in != nil {
		var err error
		if content, err = json.Marshal(in); err != nil {
			return 0, []byte(err.Error())
		}
	}
	return v.sendContent(ctx, method, url, "application/json", content)
}

// sendContent is send for a body of any type.
func (v *visitor) sendContent(ctx context.Context, method, url, contentType string,
	content []byte) (int, []byte) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(content))
	if err != nil {
		return 0, []byte(err.Error())
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Authorization", "Bearer "+v.token)
	res, err := v.client.Do(r)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, []byte(err.Error())
	}
	return res.StatusCode, text
}

// repeat sends a request, which returns its status, until it has succeeded or was refused, and
// returns the last status. A 404 is repeated too, because the record of the user, or what the user
// waits for, may not be there yet.
func (v *visitor) repeat(ctx context.Context, request func() int) (status int) {
	for range tries {
		status = request()
		hasFailed := status == 0 || status >= 500
		mayStillCome := status == http.StatusNotFound
		if !hasFailed && !mayStillCome {
			return status
		}
		if backoff.Sleep(ctx, tryPause) != nil {
			return 0
		}
	}
	return status
}

// run makes visits until the context until is done. A visit that has begun ends with ctx.
func (v *visitor) run(until, ctx context.Context) {
	for until.Err() == nil && ctx.Err() == nil {
		v.visit(ctx)
	}
	v.client.CloseIdleConnections()
}
