package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/tutor"
)

func TestDemo_StudentsHaveChats(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 0, 40, 0, time.UTC) // just past midnight
	s := newSeededServer(t)
	s.seed(t, now)
	// texts of chats, the newest first
	want, got := map[string][][]string{}, map[string][][]string{}
	for _, c := range s.Chats {
		var texts []string
		for _, turn := range c.Turns {
			texts = append(texts, turn.Question, turn.Answer)
		}
		want[c.Student] = append([][]string{texts}, want[c.Student]...)
	}
	for student := range want {
		got[student] = s.chats(t, student, now)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chats (-in the file +shown):\n%s", diff)
	}
	if len(want[demoStudent]) < 3 {
		t.Errorf("the student has %d chats", len(want[demoStudent]))
	}
}

// chats returns the texts of a student's chats.
func (s *seededServer) chats(t *testing.T, student string, now time.Time) (all [][]string) {
	t.Helper()
	chats, err := s.platform.Tutor.AllChats(t.Context(), demoActor(student))
	if err != nil {
		t.Fatal(err)
	}
	for c, err := range chats.All {
		if err != nil {
			t.Fatal(err)
		}
		messages, err := s.platform.Tutor.ChatMessages(t.Context(), demoActor(student), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		var last tutor.ChatMessage
		for m, err := range messages {
			if err != nil {
				t.Fatal(err)
			}
			texts, last = append(texts, m.Content), m
		}
		if c.Opening != texts[0] || c.UpdatedAt.After(now) || !c.UpdatedAt.Equal(last.CreatedAt) {
			t.Errorf("the chat %q of %s was updated at %v", c.Opening, student, c.UpdatedAt)
		}
		all = append(all, texts)
	}
	return all
}

func TestDemo_StudentsHaveCertificates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	s := newSeededServer(t)
	s.seed(t, now)
	count := map[string]int{}
	for _, x := range s.Sales {
		if !x.Certificate {
			continue
		}
		state, err := s.platform.Certify.CheckCertificate(t.Context(), demoActor(x.Student),
			x.Course)
		if err != nil || !state.Earned || !state.Exists {
			t.Errorf("%s in %s: %+v, %v", x.Student, x.Course, state, err)
		}
		count[x.Student]++
		c, err := s.platform.Certify.Certificate(t.Context(), demoActor(x.Student), x.Course)
		if err != nil || c.PDFStoredAt.IsZero() || c.IssuedAt.After(now) ||
			c.IssuedAt.Before(c.CompletedAt) {
			t.Errorf("%s for %s: %+v, %v", x.Student, x.Course, c, err)
		}
	}
	if count[demoStudent] != 2 {
		t.Errorf("the student has %d certificates", count[demoStudent])
	}
}
