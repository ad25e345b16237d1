package main

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store"
)

// errStopped is the error of a failingStore.
var errStopped = errors.New("the process was stopped")

// failingStore returns errStopped from InTx after left transactions.
type failingStore struct {
	learning.Store
	left int
}

func (s *failingStore) InTx(ctx context.Context, fn func(learning.Tx) error) error {
	if s.left == 0 {
		return errStopped
	}
	s.left--
	return s.Store.InTx(ctx, fn)
}

// seededServer is a devServer on an empty database, and the demo with tiny pictures.
type seededServer struct {
	*devServer
	demo
	handler  http.Handler
	pictures string
}

func newSeededServer(t *testing.T) *seededServer {
	t.Helper()
	return newSeededServerOn(t, "sqlite:"+filepath.Join(t.TempDir(), "learning.db"))
}

func newSeededServerOn(t *testing.T, database string) *seededServer {
	t.Helper()
	st, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	if err := st.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	settings := Settings{Currency: "INR", Media: t.TempDir(), PublicURL: "http://localhost", Certificate: CertificateSettings{Name: "School"}}
	p := &program{Settings: settings, log: newLogger(&transcript{}, true)}
	box := providers(t)
	p.useSandbox(box.Config())
	site, err := p.build(st)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.disk.Close() })
	s := &seededServer{devServer: &devServer{program: p, store: st, platform: site.platform, options: site.options, box: box}, handler: site.handler, pictures: t.TempDir()}
	if s.demo, err = s.readDemo(); err != nil {
		t.Fatal(err)
	}
	write(t, s.pictures, "tiny.png", tinyPicture(t))
	for i := range s.Courses {
		s.Courses[i].Thumbnail = "tiny.png"
	}
	return s
}

// start starts the server and stops it after the given number of transactions. It reports
// whether the demo had to be seeded.
func (s *seededServer) start(t *testing.T, now time.Time, transactions int) (wanted bool) {
	t.Helper()
	whole := s.store
	defer func() { s.store = whole }()
	s.store = &failingStore{whole, transactions}
	seeder, err := s.newSeeder(s.demo, now)
	if err != nil {
		t.Fatal(err)
	}
	seeder.importer.dir = s.pictures
	if wanted, err = seeder.isNeeded(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !wanted {
		return false
	}
	if err := s.seedDemo(t.Context(), seeder); err != nil && !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	return true
}

// figures holds the answers to administrators and educators of a seeded server.
type figures struct {
	Stats        learning.Stats
	Charts       learning.Charts
	Courses      []learning.CourseReport
	Sales        []learning.PurchaseReport
	Applications []learning.Application
	Earned       map[string]learning.Money // by educator
	Spent        learning.Analytics        // of the demo's student
	Learnt       map[string]courseProgress // by student and course
	Marks        []learning.QuizMark       // of the demo's student
	Insights     []learning.QuizInsight    // of the demo's educator
	Groups       []learning.Group
	Talk         []thread
}

// thread is a post with its replies.
type thread struct {
	learning.Post
	List []learning.Reply
}

// courseProgress is what somebody has made of a course.
type courseProgress struct {
	learning.Progress
	Stars int
}

// figures reads the figures without the values that are random: ids, file names, and the
// times of leases.
func (s *seededServer) figures(t *testing.T, now time.Time) (f figures) {
	t.Helper()
	platform, err := learning.New(s.store, learning.WithClock(fixedClock(now)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, admin := t.Context(), learning.Actor{UserID: demoAdmin, Role: learning.Admin}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	f.Stats, err = platform.Stats(ctx, admin)
	must(err)
	f.Charts, err = platform.Charts(ctx, admin)
	must(err)
	f.Courses, err = platform.CourseReports(ctx, admin)
	must(err)
	f.Applications, err = platform.Applications(ctx, admin, "")
	must(err)
	for i := range f.Applications {
		f.Applications[i].ID, f.Applications[i].UpdatedAt = "", time.Time{}
	}
	sales, err := platform.Purchases(admin, "")
	must(err)
	must(sales.Each(ctx, func(p learning.PurchaseReport) error {
		p.ID = ""
		f.Sales = append(f.Sales, p)
		return nil
	}))
	f.Spent, err = platform.Analytics(ctx, learning.Actor{UserID: demoStudent, Role: learning.Student})
	must(err)
	for i := range f.Spent.Courses {
		f.Spent.Courses[i].Thumbnail = ""
	}
	f.Marks, err = platform.QuizMarks(ctx, learning.Actor{UserID: demoStudent, Role: learning.Student})
	must(err)
	f.Insights, err = platform.QuizInsights(ctx, learning.Actor{UserID: demoEducator, Role: learning.Educator})
	must(err)
	f.Learnt = map[string]courseProgress{}
	for _, p := range f.Sales {
		student := learning.Actor{UserID: p.UserID, Role: learning.Student}
		courses, err := platform.EnrolledCourses(ctx, student)
		must(err)
		for _, c := range courses {
			progress, err := platform.Progress(ctx, student, c.ID)
			must(err)
			if progress == nil {
				progress = &learning.Progress{}
			}
			f.Learnt[p.UserID+" "+c.ID] = courseProgress{*progress, c.Stars}
		}
	}
	f.Groups, f.Talk = s.talk(t, platform)
	f.Earned = map[string]learning.Money{}
	for _, p := range s.People {
		d, err := platform.Dashboard(ctx, learning.Actor{UserID: p.ID, Role: learning.Educator})
		must(err)
		f.Earned[p.ID] = d.Earnings
	}
	return f
}

// talk returns the community as the demo's student sees it, without ids except those of
// users.
func (s *seededServer) talk(t *testing.T, platform *learning.Platform) (groups []learning.Group, threads []thread) {
	t.Helper()
	ctx, student := t.Context(), learning.Actor{UserID: demoStudent, Role: learning.Student}
	all, err := platform.Groups(ctx, student)
	if err != nil {
		t.Fatal(err)
	}
	if groups, err = all.All(ctx); err != nil {
		t.Fatal(err)
	}
	for i := range groups {
		groups[i].ID = ""
	}
	posts, err := platform.Posts(ctx, student, learning.PostQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	if err := posts.Each(ctx, func(p learning.Post) error {
		ids = append(ids, p.ID)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		p, list, err := platform.Post(ctx, student, id)
		if err != nil {
			t.Fatal(err)
		}
		replies, err := list.All(ctx)
		if err != nil {
			t.Fatal(err)
		}
		threads = append(threads, thread{p, replies}.withoutIDs())
	}
	return groups, threads
}

// withoutIDs replaces the id of the accepted reply by its number, from one.
func (h thread) withoutIDs() thread {
	accepted := slices.IndexFunc(h.List, func(r learning.Reply) bool { return r.ID == h.AcceptedReplyID })
	h.ID, h.Group.ID, h.AcceptedReplyID = "", "", strconv.Itoa(accepted+1)
	for i := range h.List {
		h.List[i].ID, h.List[i].PostID = "", ""
	}
	return h
}

// payAll pays every order that is open at the sandbox.
func (s *seededServer) payAll(t *testing.T) {
	t.Helper()
	for _, o := range s.box.Gateway().Orders() {
		p, err := s.box.Gateway().Pay(o.ID, sandbox.WithoutWebhook())
		if err != nil {
			t.Fatal(err)
		}
		paid := learning.Payment{ID: p.ID, OrderID: o.ID, PurchaseID: o.Receipt, Amount: new(learning.Money(o.Amount)), Currency: o.Currency, Captured: true}
		if err := s.platform.CapturePayment(t.Context(), paid); err != nil {
			t.Fatal(err)
		}
	}
}
