package learning_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/aigate"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func TestTidy_DeletesLeasesThatExpiredADayAgo(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.Without("WithProvider")))
		insert := func(name string, expired time.Duration) {
			t.Helper()
			w.InsertTx(t, func(tx learning.Tx) error {
				return tx.InsertLease(ctx(),
					core.Lease{Name: name, Holder: "died",
						ExpiresAt: w.Clock.Now().Add(-expired)})
			})
		}
		for i := range 201 { // more than two transactions delete
			insert(fmt.Sprint("old-", i), day+time.Duration(i+1)*time.Microsecond)
		}
		insert("a day ago", day)
		insert("running", -time.Minute)
		w.Tidy(t)
		var left []string
		for _, name := range []string{"a day ago", "old-0", "old-200", "running"} {
			if w.Count(t, "leases WHERE name = ?", name) == 1 {
				left = append(left, name)
			}
		}
		if diff := cmp.Diff([]string{"a day ago", "running"}, left); diff != "" ||
			w.Count(t, "leases") != 2 {
			t.Errorf("%d leases are left: %s", w.Count(t, "leases"), diff)
		}
	})
}

// stubbornMedia is a media store that cannot delete some files.
type stubbornMedia struct {
	roomtest.MemoryMedia
	keeps func(name string) bool
	tries int // to delete one of those
}

func (m *stubbornMedia) Delete(ctx context.Context, name string) error {
	if m.keeps(name) {
		m.tries++
		return roomtest.ErrInjected
	}
	return m.MemoryMedia.Delete(ctx, name)
}

// There are 150 files that cannot be deleted before three that can. They are tried again after
// an hour, and not before.
func TestTidy_FilesThatCannotBeDeletedDoNotHoldUpOthers(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		isStuck := func(name string) bool { return strings.HasPrefix(name, "a-") }
		media := &stubbornMedia{keeps: isStuck}
		w := roomtest.New(t, database,
			learningtest.WithPlatform(learning.WithMedia(media), learning.Without("WithProvider")))
		names := []string{"b-1.png", "b-2.png", "b-3.png"}
		for i := range 150 {
			names = append(names, fmt.Sprintf("a-%d.png", i))
		}
		w.InsertTx(t, func(tx learning.Tx) error {
			for _, name := range names {
				if err := tx.InsertUnusedFile(ctx(), name, w.Clock.Now()); err != nil {
					return err
				}
			}
			return nil
		})
		for _, name := range names {
			if err := media.Put(ctx(), name, "image/png", nil); err != nil {
				t.Fatal(err)
			}
		}
		want := func(step string, tries, files int, failure string) {
			t.Helper()
			media.tries = 0
			err := w.Platform.System().Tidy(ctx())
			if failure == "" && err != nil || failure != "" &&
				(!errors.Is(err, roomtest.ErrInjected) || !strings.Contains(err.Error(), failure)) {
				t.Errorf("%s: %v", step, err)
			}
			if media.tries != tries || len(media.Files) != files ||
				w.Count(t, "unused_files") != files {
				t.Errorf("%s: %d tries, %d files, %d rows; want %d and %d", step, media.tries,
					len(media.Files), w.Count(t, "unused_files"), tries, files)
			}
		}
		want("first", 150, 150,
			"delete unused files: 150 files, which are tried again after 1h0m0s; the first: "+
				"delete a file")
		want("at once", 0, 150, "")
		w.Clock.Advance(time.Hour)
		media.keeps = func(name string) bool {
			return isStuck(name) &&
				strings.HasSuffix(name, "9.png")
		}
		want("an hour later", 15, 15, "15 files")
	})
}

// The process that revokes a certificate crashes before it removes the PDF. No user asks for the
// certificate again.
func TestTidy_PDFDoesNotOutliveItsRevocation(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		kept := w.Generated(t, w.Graduates(t, "bob", course), course)
		c := w.Generated(t, w.Graduates(t, "ada", course), course)
		crashed := w.OtherInstance(t, p.Option(),
			learningtest.WithPlatform(learning.Without("WithMedia")))
		if r, err := crashed.Platform.System().RevokeCertificate(ctx(), c.ID,
			"reason"); err != nil || !r.IsNew {
			t.Fatalf("revoked %v, %v", r.IsNew, err)
		}
		w.Tidy(t)
		if got := p.PDFs(); len(got) != 2 {
			t.Errorf("the PDFs are %q, before a process that draws one must have ended", got)
		}
		w.Clock.Advance(time.Minute)
		w.Tidy(t)
		if diff := cmp.Diff([]string{kept.File()}, p.PDFs()); diff != "" {
			t.Errorf("PDFs: %s", diff)
		}
		if n := w.Count(t, "certificates WHERE is_revoked = 1 AND filed_at IS NOT NULL"); n != 0 ||
			w.Count(t, "unused_files") != 0 {
			t.Errorf("%d PDFs are recorded, %d unused files", n, w.Count(t, "unused_files"))
		}
		before := w.Dump(t)
		w.Tidy(t)
		if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
			t.Errorf("the next run changes: %s", diff)
		}
	})
}

// A process stores a PDF that it has drawn while the certificate was revoked, and crashes before
// it can record that.
func TestTidy_PDFThatIsDrawnDuringTheRevocation(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		p, store := &roomtest.Renderer{}, &roomtest.FaultyStore{}
		w := roomtest.New(t, database, p.Option(), roomtest.WithFaultyStore(store))
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		p.Amid = func() {
			c, err := w.Store.CertificateOf(ctx(), ada.UserID, course)
			if err != nil {
				t.Error(err)
			}
			if _, err := w.Platform.System().RevokeCertificate(ctx(), c.ID, "reason"); err !=
				nil {
				t.Error(err)
			}
			store.FailOn("record that a PDF is stored")
		}
		if _, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course); !errors.Is(err,
			roomtest.ErrInjected) {
			t.Errorf("%v", err)
		}
		if got := p.PDFs(); len(got) != 1 {
			t.Fatalf("the PDFs are %q: there is nothing to remove", got)
		}
		w.Clock.Advance(time.Minute)
		w.Tidy(t)
		if got := p.PDFs(); len(got) != 0 {
			t.Errorf("the PDFs are %q", got)
		}
	})
}

// A process is slow to store a PDF: it stores it after the PDF was given up, while the media store
// cannot delete files.
func TestTidy_PDFThatIsStoredAfterItWasGivenUp(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		p := &roomtest.Renderer{}
		media := &stubbornMedia{keeps: func(name string) bool {
			return strings.HasSuffix(name,
				".pdf")
		}}
		w := roomtest.New(t, database, p.Option(),
			learningtest.WithPlatform(learning.WithMedia(media)))
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		p.Amid = func() {
			c, err := w.Store.CertificateOf(ctx(), ada.UserID, course)
			if err != nil {
				t.Error(err)
			}
			if _, err := w.Platform.System().RevokeCertificate(ctx(), c.ID,
				"reason"); !errors.Is(err, roomtest.ErrInjected) {
				t.Errorf("the PDF of a revoked certificate was removed: %v", err)
			}
			w.Clock.Advance(time.Minute)
			if err := w.Platform.System().Tidy(ctx()); !errors.Is(err, roomtest.ErrInjected) {
				t.Errorf("the PDF was removed: %v", err)
			}
		}
		if _, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course); !errors.Is(err,
			certify.ErrCertificateRevoked) {
			t.Error(err)
		}
		if n := w.Count(t, "certificates WHERE filed_at IS NOT NULL"); n != 1 ||
			len(media.Files) != 2 {
			t.Fatalf("%d PDFs are recorded, %d files", n, len(media.Files))
		}
		media.keeps = func(string) bool { return false }
		w.Tidy(t)
		if n := w.Count(t, "certificates WHERE filed_at IS NOT NULL"); n != 0 ||
			len(media.Files) != 1 || w.Count(t, "unused_files") != 0 {
			t.Errorf("%d PDFs are recorded, %d files, %d unused", n, len(media.Files),
				w.Count(t, "unused_files"))
		}
	})
}

// Calls to the AI crash on two days. A day later they are booked, so that the sum of their day
// stays the same, and their reservations are gone. The usage of the day is booked for one user.
func TestTidy_ReservationsOfCrashedAICallsEnd(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database,
			learningtest.WithPlatform(learning.Without("WithProvider"), learning.Without("WithAI")))
		now := w.Clock.Now()
		today := now.Format(time.DateOnly)
		insert := func(userID, holder string, tokens int64, until time.Time) {
			t.Helper()
			w.InsertTx(t, func(tx learning.Tx) error {
				return tx.InsertAIReservation(ctx(), aigate.Reservation{
					UserID: userID, Day: today, Holder: holder, Tokens: tokens, LeaseUntil: until,
				})
			})
		}
		for i := range 201 {
			insert("ada", fmt.Sprint(i), 10, now.Add(time.Duration(i)*time.Microsecond))
		}
		insert("bob", "0", 5, now)
		insert("bob", "running", 1_000, now.Add(2*day))
		w.InsertTx(t, func(tx learning.Tx) error {
			return tx.InsertAIUsage(ctx(), "bob", today, aigate.Usage{Prompt: 100, Completion: 200})
		})
		want := func(reservations int) {
			t.Helper()
			for userID, tokens := range map[string]int64{"ada": 2_010, "bob": 305} {
				if n, err := w.Store.AISpentBy(ctx(), userID, today, now.Add(time.Second)); n !=
					tokens || err != nil {
					t.Errorf("%s has spent %d, %v; want %d", userID, n, err, tokens)
				}
			}
			if n := w.Count(t, "ai_reservations"); n != reservations {
				t.Errorf("%d reservations, want %d", n, reservations)
			}
		}
		want(203)
		w.Clock.Advance(day)
		w.Tidy(t)
		want(203)
		w.Clock.Advance(time.Second)
		w.Tidy(t)
		want(1)
	})
}

// If a step fails, the others are done.
func TestTidy_ContinuesAfterAFailedStep(t *testing.T) {
	store := &roomtest.FaultyStore{}
	w := roomtest.New(t, roomtest.SQLite(t), roomtest.WithFaultyStore(store),
		learningtest.WithPlatform(learning.WithMedia(&roomtest.MemoryMedia{})))
	w.InsertTx(t,
		func(tx learning.Tx) error { return tx.InsertUnusedFile(ctx(), "a.png", w.Clock.Now()) })
	store.FailOn("list expired leases")
	err := w.Platform.System().Tidy(ctx())
	if !errors.Is(err, roomtest.ErrInjected) || !strings.HasPrefix(err.Error(),
		"delete expired leases: ") {
		t.Errorf("%v", err)
	}
	if n := w.Count(t, "unused_files"); n != 0 {
		t.Errorf("%d unused files", n)
	}
}

// Two instances tidy on one database, until they are told to end. Each time one of them does so,
// which keeps the lease of the work until it is due again.
func TestRunTidying_OneInstanceAtATime(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		const every = 10 * time.Millisecond
		media := &roomtest.MemoryMedia{}
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.WithMedia(media)))
		other := w.OtherInstance(t, learningtest.WithPlatform(learning.WithMedia(media)))
		running, end := context.WithCancel(ctx())
		defer end()
		done := make(chan struct{})
		for _, system := range []learning.System{w.Platform.System(), other.Platform.System()} {
			go func() {
				system.RunTidying(running, every)
				done <- struct{}{}
			}()
		}
		for range 3 {
			w.InsertTx(t,
				func(tx learning.Tx) error {
					return tx.InsertUnusedFile(ctx(), "a.png",
						w.Clock.Now())
				})
			// makes tidying due, also if it was done before there was the file
			w.Clock.Advance(every)
			roomtest.Await(t, "the file to be deleted",
				func() bool { return w.Count(t, "unused_files") == 0 })
			roomtest.Await(t, "the end of the work", func() bool {
				l, err := w.Store.Lease(ctx(), "schedule:tidy")
				return err == nil && l.ExpiresAt.Equal(w.Clock.Now().Add(every))
			})
		}
		end()
		<-done
		<-done
	})
}

func TestScheduledWork_IsSwitchedOffByNoInterval(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	w.Platform.System().RunReconciliation(ctx(), 0) // returns
	w.Platform.System().RunTidying(ctx(), 0)
}
