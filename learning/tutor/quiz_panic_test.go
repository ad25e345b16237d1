package tutor_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/internal/singleflight"
	"github.com/openlectern/openlectern/learning/tutor"
)

// recovered calls f, and returns the value of its panic.
func TestQuiz_PanicOfTheLimiterConcernsOnlyThatCaller(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
	asked := make(chan struct{})
	goOn := make(chan struct{})
	panicked := make(chan any, 1)
	go func() {
		panicked <- roomtest.Recovered(func() {
			_, _ = w.Platform.Tutor.Quiz(ctx(), ada, course, roomtest.TheChapter,
				func(context.Context) error { close(asked); <-goOn; panic("limiter") })
		})
	}()
	<-asked
	waits := make(chan error, 1)
	go func() {
		_, err := w.Platform.Tutor.Quiz(ctx(), bob, course, roomtest.TheChapter, nil)
		waits <- err
	}()
	waitForCallers(t, w, "quiz:go:chapter", 2)
	close(goOn)
	if value := <-panicked; value != "limiter" {
		t.Errorf("the caller of the limiter got %v", value)
	}
	if err := <-waits; err != nil {
		t.Errorf("the caller that waited: %v", err)
	}
	if n := w.Count(t, "leases"); n != 0 || len(w.Sandbox.AI().Calls()) != 1 {
		t.Errorf("%d leases are left after %d calls", n, len(w.Sandbox.AI().Calls()))
	}
}

func TestQuiz_PanicOfTheStoreLeavesTheChapterFree(t *testing.T) {
	for _, step := range []string{"read a lease", "insert a quiz",
		"insert the AI usage of a user"} {
		t.Run(step, func(t *testing.T) {
			store := &roomtest.FaultyStore{AfterFault: func() { panic("no " + step) }}
			w := roomtest.New(t, roomtest.SQLite(t), roomtest.WithFaultyStore(store))
			course := w.Course(t, "go", 0)
			ada := w.Enrolls(t, "ada", course)
			store.FailOn(step)
			var err error
			value := roomtest.Recovered(func() {
				_, err = w.Platform.Tutor.Quiz(ctx(), ada, course, roomtest.TheChapter,
					nil)
			})
			if _, ok := errors.AsType[*singleflight.PanicError](err); value == nil && !ok {
				t.Errorf("got %v", err)
			}
			if store.Disarm() != step {
				t.Error("the store did not panic")
			}
			if err != nil && strings.Contains(err.Error(), "no "+step) {
				t.Errorf("the error shows the value: %v", err)
			}
			if _, err := w.Platform.Tutor.Quiz(ctx(), ada, course, roomtest.TheChapter,
				nil); err != nil {
				t.Errorf("the next caller: %v", err)
			}
		})
	}
}

func TestRoadmapAndCertificate_PanicIsAnErrorAndTheNextCallerIsServed(t *testing.T) {
	g := &panickingAI{}
	g.panics.Store(1)
	w := newAIFixture(t, g)
	if _, err := w.Platform.Tutor.CustomRoadmap(ctx(), roomtest.Ada, "Sailing"); err == nil ||
		w.Log.Count("no model") != 1 {
		t.Errorf("%v; logged: %s", err, w.Log)
	}
	if _, err := w.Platform.Tutor.CustomRoadmap(ctx(), roomtest.Ada, "Sailing"); err != nil {
		t.Errorf("the next caller: %v", err)
	}
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		p.Amid = func() { p.Amid = nil; panic("no ink") }
		if _, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course); err == nil {
			t.Error("no error")
		}
		c, err := w.Platform.Certify.Certificate(ctx(), ada, course)
		if err != nil {
			t.Errorf("the next caller: %v", err)
		}
		p.WantPrinted(t, c)
	})
}

// panickingAI panics, and then answers with a roadmap.
type panickingAI struct {
	tutor.AI
	panics atomic.Int64
}

func (a *panickingAI) Complete(context.Context, tutor.AIRequest) (tutor.AIReply, error) {
	if a.panics.Add(-1) >= 0 {
		panic("no model")
	}
	return tutor.AIReply{Text: goodRoadmap}, nil
}
