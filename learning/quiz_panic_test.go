package learning_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/openlectern/openlectern/internal/singleflight"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// recovered calls f, and returns the value of its panic.
func recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestQuiz_PanicOfTheLimiterConcernsOnlyThatCaller(t *testing.T) {
	w, course := newQuizFixture(t, sqlite(t))
	ada, bob := w.enrolls(t, "ada", course), w.enrolls(t, "bob", course)
	asked, goOn, panicked := make(chan struct{}), make(chan struct{}), make(chan any, 1)
	go func() {
		panicked <- recovered(func() {
			_, _ = w.Platform.Quiz(ctx(), ada, course, theChapter, func() error { close(asked); <-goOn; panic("limiter") })
		})
	}()
	<-asked
	waits := make(chan error, 1)
	go func() {
		_, err := w.Platform.Quiz(ctx(), bob, course, theChapter, nil)
		waits <- err
	}()
	w.waitFor(t, "quiz:go:chapter", 2)
	close(goOn)
	if value := <-panicked; value != "limiter" {
		t.Errorf("the caller of the limiter got %v", value)
	}
	if err := <-waits; err != nil {
		t.Errorf("the caller that waited: %v", err)
	}
	if n := w.count(t, "ai_claims"); n != 0 || len(w.Sandbox.AI().Calls()) != 1 {
		t.Errorf("%d claims are left after %d calls", n, len(w.Sandbox.AI().Calls()))
	}
}

// panicsIn is a store that panics in one method, as often as it is told.
type panicsIn struct {
	learning.Store
	left   *atomic.Int64
	method string
}

func (s panicsIn) panics(method string) {
	if s.method == method && s.left.Add(-1) >= 0 {
		panic("no " + method)
	}
}

func (s panicsIn) Quiz(ctx context.Context, courseID, chapterID string) (learning.Quiz, error) {
	s.panics("Quiz")
	return s.Store.Quiz(ctx, courseID, chapterID)
}

func (s panicsIn) AILeases(ctx context.Context, name string) ([]learning.AILease, error) {
	s.panics("AILeases")
	return s.Store.AILeases(ctx, name)
}

func (s panicsIn) InTx(ctx context.Context, fn func(learning.Tx) error) error {
	return s.Store.InTx(ctx, func(tx learning.Tx) error { return fn(panicsInTx{tx, s}) })
}

type panicsInTx struct {
	learning.Tx
	store panicsIn
}

func (t panicsInTx) InsertQuiz(ctx context.Context, q learning.Quiz) error {
	t.store.panics("InsertQuiz")
	return t.Tx.InsertQuiz(ctx, q)
}

func (t panicsInTx) InsertAIUsage(ctx context.Context, userID, day string, u learning.AIUsage) error {
	t.store.panics("InsertAIUsage")
	return t.Tx.InsertAIUsage(ctx, userID, day, u)
}

// Which look at the quiz panics is counted down: the second one is made with the lease.
func TestQuiz_PanicOfTheStoreLeavesTheChapterFree(t *testing.T) {
	for _, method := range []string{"AILeases", "InsertQuiz", "InsertAIUsage"} {
		t.Run(method, func(t *testing.T) {
			left := &atomic.Int64{}
			w := newFixture(t, sqlite(t), learningtest.WithStore(func(s learning.Store) learning.Store { return panicsIn{s, left, method} }))
			course := w.Course(t, "go", 0)
			ada := w.enrolls(t, "ada", course)
			left.Store(1)
			var err error
			value := recovered(func() { _, err = w.Platform.Quiz(ctx(), ada, course, theChapter, nil) })
			if _, ok := errors.AsType[*singleflight.PanicError](err); value == nil && !ok {
				t.Errorf("got %v", err)
			}
			if err != nil && strings.Contains(err.Error(), method) {
				t.Errorf("the error shows the value: %v", err)
			}
			if _, err := w.Platform.Quiz(ctx(), ada, course, theChapter, nil); err != nil {
				t.Errorf("the next caller: %v", err)
			}
		})
	}
}

func TestRoadmapAndCertificate_PanicIsAnErrorAndTheNextCallerIsServed(t *testing.T) {
	g := &panickingAI{}
	g.panics.Store(1)
	w := newAIFixture(t, g)
	if _, err := w.Platform.CustomRoadmap(ctx(), ada, "Sailing"); err == nil || w.Log.Count("no model") != 1 {
		t.Errorf("%v; logged: %s", err, w.Log)
	}
	if _, err := w.Platform.CustomRoadmap(ctx(), ada, "Sailing"); err != nil {
		t.Errorf("the next caller: %v", err)
	}
	withCertificatesOnEngines(t, func(t *testing.T, w *fixture, p *fakeRenderer) {
		course := w.Course(t, "go", 0)
		ada := w.graduates(t, "ada", course)
		p.amid = func() { p.amid = nil; panic("no ink") }
		if _, _, err := w.Platform.GenerateCertificate(ctx(), ada, course); err == nil {
			t.Error("no error")
		}
		c, err := w.Platform.Certificate(ctx(), ada, course)
		if err != nil {
			t.Errorf("the next caller: %v", err)
		}
		p.wantPrinted(t, c)
	})
}

// panickingAI panics, and then answers with a roadmap.
type panickingAI struct {
	learning.AI
	panics atomic.Int64
}

func (a *panickingAI) Complete(context.Context, learning.AIRequest) (learning.AIReply, error) {
	if a.panics.Add(-1) >= 0 {
		panic("no model")
	}
	return learning.AIReply{Text: goodRoadmap}, nil
}
