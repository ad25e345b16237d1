package main

import (
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/store/engines"
	"github.com/openlectern/openlectern/learning/study"
)

// seededServer is a devServer on an empty database, and the demo.
type seededServer struct {
	*devServer
	demo
	handler http.Handler
}

func newSeededServer(t *testing.T) *seededServer {
	t.Helper()
	return newSeededServerOn(t, "sqlite:"+filepath.Join(t.TempDir(), "learning.db"))
}

func newSeededServerOn(t *testing.T, database string) *seededServer {
	t.Helper()
	if _, err := contracttest.CreateTables(database); err != nil {
		t.Fatal(err)
	}
	st, err := engines.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	if err := st.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	settings := Settings{Database: database, Currency: "INR", Media: t.TempDir(),
		PublicURL: "http://localhost", FilesSecret: "sixteen bytes and more",
		Certificate: CertificateSettings{Name: "School"}}
	p := &program{Settings: settings, log: newLogger(&transcript{}, true, nil)}
	box := providers(t)
	p.useSandbox(box.Config())
	site, err := p.build(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.close() })
	s := &seededServer{devServer: &devServer{program: p, store: st, platform: site.platform,
		options: site.options, box: box}, handler: site.handler}
	if s.demo, err = s.readDemo(); err != nil {
		t.Fatal(err)
	}
	return s
}

// seed seeds the demo.
func (s *seededServer) seed(t *testing.T, now time.Time) {
	t.Helper()
	if err := s.seedDemo(t.Context(), s.demo, now); err != nil {
		t.Fatal(err)
	}
}

// figures holds the answers to administrators, educators and students of a seeded server.
type figures struct {
	Stats    staff.Stats
	Charts   staff.Charts
	Courses  []staff.CourseReport
	Sales    []staff.PurchaseReport
	Spent    study.Analytics           // of the demo's student
	Progress map[string]courseProgress // by student and course
	Marks    []assess.QuizMark         // of the demo's student
	Insights []assess.QuizInsight      // of the demo's educator
	Groups   []community.Group         // as the demo's student sees them
	Threads  []thread                  // likewise, the newest first
}

// thread is a post with its replies.
type thread struct {
	community.Post
	List []community.Reply
}

// courseProgress is the progress of a student in a course, with the rating.
type courseProgress struct {
	study.Progress
	Stars int
}

func (s *seededServer) figures(t *testing.T, now time.Time) (f figures) {
	t.Helper()
	platform, err := learning.New(s.store, learning.WithClock(fixedClock(now)))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	admin := learning.Actor{UserID: demoAdmin, Role: core.Admin}
	educator := learning.Actor{UserID: demoEducator, Role: core.Educator}
	student := demoActor(demoStudent)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	f.Stats, err = platform.Staff.Stats(ctx, admin)
	must(err)
	f.Charts, err = platform.Staff.Charts(ctx, admin)
	must(err)
	all := learning.PageRequest{Limit: core.MaxPageRows}
	reports, err := platform.Staff.CourseReports(ctx, admin, all)
	must(err)
	f.Courses = reports.Rows
	sales, err := platform.Staff.Purchases(ctx, admin, staff.PurchaseQuery{}, all)
	must(err)
	f.Sales = sales.Rows
	f.Spent, err = platform.Study.Analytics(ctx, student)
	must(err)
	marks, err := platform.Assess.QuizMarks(ctx, student, all)
	must(err)
	f.Marks = marks.Rows
	f.Insights, err = platform.Assess.QuizInsights(ctx, educator)
	must(err)
	f.Progress = map[string]courseProgress{}
	for _, p := range f.Sales {
		buyer := demoActor(p.UserID)
		enrolled, err := platform.Study.EnrolledCourses(ctx, buyer, all)
		must(err)
		for _, c := range enrolled.Rows {
			progress, err := platform.Study.Progress(ctx, buyer, c.ID)
			must(err)
			if progress == nil {
				progress = &study.Progress{}
			}
			f.Progress[p.UserID+" "+c.ID] = courseProgress{*progress, c.Stars}
		}
	}
	groups, err := platform.Community.Groups(ctx, student)
	must(err)
	for g, err := range groups.All {
		must(err)
		f.Groups = append(f.Groups, g)
	}
	posts, err := platform.Community.AllPosts(ctx, student, community.PostQuery{})
	must(err)
	for listed, err := range posts.All {
		must(err)
		found, err := platform.Community.Thread(ctx, student, listed.ID)
		must(err)
		var replies []community.Reply
		for r, err := range found.Replies {
			must(err)
			replies = append(replies, r)
		}
		f.Threads = append(f.Threads, thread{found.Post, replies})
	}
	return f
}

// payAll pays every order that is open at the sandbox.
func (s *seededServer) payAll(t *testing.T) {
	t.Helper()
	for _, o := range s.openOrders() {
		p, err := s.box.Gateway().Pay(o.ID, sandbox.WithoutWebhook())
		if err != nil {
			t.Fatal(err)
		}
		paid := payment.Payment{ID: p.ID, OrderID: o.ID, PurchaseID: o.Receipt,
			Amount: new(core.Money(o.Amount)), Currency: o.Currency, Captured: true}
		if err := s.platform.System().CapturePayment(t.Context(), paid); err != nil {
			t.Fatal(err)
		}
	}
}

// openOrders returns the orders at the gateway that nobody has paid.
func (s *seededServer) openOrders() []sandbox.Order {
	return slices.DeleteFunc(s.box.Gateway().Orders(),
		func(o sandbox.Order) bool { return o.Status == sandbox.OrderPaid })
}

// refundOne refunds a purchase of the demo, as its administrator can.
func (s *seededServer) refundOne(t *testing.T) {
	t.Helper()
	page := learning.PageRequest{Limit: 1}
	sold, err := s.platform.Staff.Purchases(t.Context(), demoActor(demoAdmin),
		staff.PurchaseQuery{Status: purchase.Completed}, page)
	if err != nil || len(sold.Rows) != 1 {
		t.Fatalf("%d purchases, %v", len(sold.Rows), err)
	}
	if p, err := s.platform.Refunds.Refund(t.Context(), demoActor(demoAdmin),
		refund.Request{PurchaseID: sold.Rows[0].ID}); err != nil ||
		p.Status != purchase.Refunded {
		t.Errorf("the purchase is %s, %v", p.Status, err)
	}
}
