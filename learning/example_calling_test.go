package learning_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/engines"
	"github.com/openlectern/openlectern/learning/study"
)

// must ends the example if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// check ends the example if there is an error.
func check(err error) { must(0, err) }

// academy returns a platform with the educator ada, the student ben and the course sailing, and a
// function that removes it.
func academy(opts ...learning.Option) (platform *learning.Platform, remove func()) {
	ctx := context.Background()
	st, remove := openStore()
	platform = must(learning.New(st, append(opts, learning.WithMedia(memory{}))...))
	for id, role := range map[string]core.Role{"ada": core.Educator, "ben": core.Student} {
		check(platform.System().ApplyIdentityEvent(ctx, people.IdentityEvent{
			Type: people.UserCreated, User: people.IdentityUser{ID: id, FirstName: id, Role: &role}}))
	}
	_, err := platform.Catalog.AddCourse(ctx, learning.Actor{UserID: "ada", Role: core.Educator},
		sailing, picture())
	check(err)
	return platform, remove
}

// sailing is a course.
var sailing = catalog.NewCourse{ID: "sailing", Title: "Sailing", Price: 499_00, Published: true,
	Content: []catalog.Chapter{{Title: "Knots", Lectures: []catalog.Lecture{
		{Title: "The bowline", Minutes: 5, URL: "https://videos.example.org/bowline"}}}}}

// picture returns a small PNG.
func picture() []byte {
	var b bytes.Buffer
	check(png.Encode(&b, image.NewGray(image.Rect(0, 0, 16, 9))))
	return b.Bytes()
}

// A service of the host, such as one that sells courses elsewhere, enrols a user.
func ExampleSystem_Actor() {
	platform, remove := academy()
	defer remove()
	ctx := context.Background()

	billing := platform.System().Actor("billing")
	created, err := platform.Study.GrantEnrollment(ctx, billing,
		study.Grant{UserID: "ben", CourseID: "sailing", Reason: "order 1042"})
	if err != nil {
		log.Fatal(err)
	}

	list, err := platform.Study.Enrollments(ctx, billing, study.EnrollmentQuery{UserID: "ben"},
		learning.PageRequest{Limit: 10})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(created, list.Rows[0].CourseTitle, list.Rows[0].GrantedBy, list.Rows[0].Reason)
	// Output: true Sailing service:billing order 1042
}

// The host acts as an educator, whose role is the one that the platform has stored.
func Example_onBehalf() {
	platform, remove := academy()
	defer remove()
	ctx := context.Background()

	educator, err := platform.People.Identify(ctx, people.Claims{UserID: "ada"})
	if err != nil {
		log.Fatal(err)
	}
	title := "Sailing for beginners"
	edited, err := platform.Catalog.EditCourse(ctx, educator, "sailing",
		catalog.CourseEdit{Version: 1, Title: &title})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(educator.Role, edited.Title)
	// Output: educator Sailing for beginners
}

// roleTable is a [people.RoleGranter]: the table of the host from which its VerifyToken reads the
// roles.
type roleTable map[string]core.Role

func (t roleTable) GrantRole(_ context.Context, userID string, role core.Role) error {
	t[userID] = role
	return nil
}

// The first admin is made by the operator, because only an admin makes others on the pages.
func ExampleSystem_MakeAdmin() {
	roles := roleTable{}
	platform, remove := academy(learning.WithRoles(roles))
	defer remove()
	ctx := context.Background()

	if err := platform.System().MakeAdmin(ctx, "ben"); err != nil {
		log.Fatal(err)
	}

	actor, err := platform.People.Identify(ctx, people.Claims{UserID: "ben"})
	fmt.Println(actor.Role, roles["ben"], err)
	// Output: admin admin <nil>
}

// A list is read a page at a time, or all of it.
func ExamplePageRequest() {
	platform, remove := academy()
	defer remove()
	ctx := context.Background()
	admin := platform.System().Actor("reports")

	// A page of a screen, and what the next request begins with.
	page, err := platform.People.Users(ctx, admin, people.UserQuery{Role: core.Educator},
		learning.PageRequest{Limit: 20})
	if err != nil {
		log.Fatal(err)
	}
	next := learning.PageRequest{Limit: 20, After: page.Next}
	fmt.Println(len(page.Rows), "educator, and that is all:", next.After.IsZero())

	// All rows, such as for a file. Between two pages no connection is held.
	users := core.All(func(page learning.PageRequest) (learning.Page[people.UserReport], error) {
		return platform.People.Users(ctx, admin, people.UserQuery{}, page)
	})
	count := 0
	for _, err := range users {
		if err != nil {
			log.Fatal(err)
		}
		count++
	}
	fmt.Println(count, "users")
	// Output:
	// 1 educator, and that is all: true
	// 2 users
}

// A catalogue of courses comes from a file and a folder with its pictures.
func ExampleSystem_ImportCatalogue() {
	platform, remove := academy()
	defer remove()
	ctx := context.Background()
	folder := fstest.MapFS{"rowing.png": {Data: picture()}} // in a program: os.DirFS("catalogue")

	file := []byte(`{
		"people": [{"_id": "ida", "firstName": "Ida", "lastName": "Lewis"}],
		"courses": [{"_id": "rowing", "educatorId": "ida", "courseThumbnail": "rowing.png",
			"courseTitle": "Rowing", "coursePrice": 19.99,
			"courseContent": [{"chapterTitle": "Boats", "chapterContent": [
				{"lectureTitle": "Oars", "lectureDuration": 4, "lectureUrl": "https://v.example.org/1"}]}]}]}`)
	courses, err := exchange.ParseCatalogue(file) // all faults, each with line, column and field
	if err != nil {
		log.Fatal(err)
	}
	for range 2 { // the same catalogue again changes nothing
		done, err := platform.System().ImportCatalogue(ctx, courses,
			exchange.CatalogueFiles{FS: folder})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d added, %d were there\n", done.Added, done.Existing)
	}

	_, err = exchange.ParseCatalogue(bytes.Replace(file, []byte("19.99"), []byte("0.05"), 1))
	fmt.Println(err)
	// Output:
	// 1 added, 0 were there
	// 0 added, 1 were there
	// line 4, column 44: course 1 (rowing): coursePrice is 0.05 after the discount; it must be 0 or at least 1
}

// A host sells to its members only.
func ExampleWithBuyPolicy() {
	ctx := context.Background()
	members := map[string]bool{"ada": true} // in a program: a table of the host

	errMembersOnly := &core.Error{Kind: core.Forbidden, Code: "members_only",
		Message: "Only members can buy this course"}
	policy := learning.WithBuyPolicy(
		func(_ context.Context, actor core.Actor, o sale.Offered) error {
			if o.Amount > 0 && !members[actor.UserID] {
				return errMembersOnly
			}
			return nil
		})
	platform, remove := academy(policy)
	defer remove()

	ben := must(platform.People.Identify(ctx, people.Claims{UserID: "ben"}))
	_, err := platform.Sales.Quote(ctx, ben, sale.QuoteRequest{CourseID: "sailing", CouponCode: ""})
	fmt.Println(err)

	// Ben has paid an invoice, which the host records. Twice is once.
	for range 2 {
		sold := must(platform.System().RecordSale(ctx, sale.SaleElsewhere{UserID: "ben",
			CourseID: "sailing", Amount: 450_00, Currency: "INR", Source: "invoice",
			Reference: "2026-17"}))
		fmt.Println(sold.Status, sold.Amount, sold.CourseTitle)
	}
	// Output:
	// Only members can buy this course
	// completed 450 Sailing
	// completed 450 Sailing
}

// People come with what they did in another system.
func ExampleSystem_ImportPeople() {
	platform, remove := academy()
	defer remove()
	ctx := context.Background()

	file := strings.NewReader(`Login,Mail,Bought
dora,dora@example.com,2024-03-01
dora,dora@example.com,soon
`)
	users, err := exchange.ParsePeople(file, exchange.PeopleFormat{
		Columns: map[string]string{"id": "Login", "email": "Mail", "createdAt": "Bought"},
		Set:     map[string]string{"kind": "user"}})
	if err != nil {
		log.Fatal(err)
	}
	done, err := platform.System().ImportPeople(ctx, users,
		exchange.PeopleOptions{SkipInvalid: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.Added[exchange.PersonUser], "user")
	fmt.Println(done.Faults[0])
	// Output:
	// 1 user
	// line 3, column 23: createdAt must be a time, such as "2024-03-01T09:30:00Z", "2024-03-01", "2024-03-01 09:30:00" or the seconds of Unix
}

// The files of lectures are kept apart from the pictures, and read by signed URLs.
func ExampleWithFiles() {
	dir := must(os.MkdirTemp("", "example"))
	defer os.RemoveAll(dir)
	key := []byte("16 bytes or more") // in a program random, and the same in every process
	ctx := context.Background()

	files, err := media.NewPrivateDisk(filepath.Join(dir, "material"),
		"https://example.org/school/material", [][]byte{key})
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	platform, remove := academy(
		learning.WithFiles(files),
		learning.WithMaxFile(50<<20),    // bytes of one file
		learning.WithMaxStorage(10<<30), // bytes of all files of an educator
	)
	defer remove()
	mux := http.NewServeMux()
	mux.Handle("/school/material/", http.StripPrefix("/school/material/", files))

	ada := learning.Actor{UserID: "ada", Role: core.Educator}
	plan, err := platform.Files.UploadFile(ctx, ada, "plan.txt", strings.NewReader("Reef early."))
	if err != nil {
		log.Fatal(err)
	}
	course, err := platform.Catalog.AddCourse(ctx, ada, catalog.NewCourse{
		Title: "Reefing", Published: true, Content: []catalog.Chapter{{Title: "Wind",
			Lectures: []catalog.Lecture{{Title: "Plan", Kind: catalog.KindFile, FileID: plan.ID,
				PreviewFree: true}}}}}, picture())
	if err != nil {
		log.Fatal(err)
	}
	shown, err := platform.Catalog.PublishedCourse(ctx, course) // with a URL that works for six hours
	if err != nil {
		log.Fatal(err)
	}
	url, _, _ := strings.Cut(shown.Content[0].Lectures[0].URL, "?")
	fmt.Println(plan.Type, plan.Size, strings.HasPrefix(url, "https://example.org/school/material/"))
	// Output: text/plain 11 true
}

// Lectures may embed the pages of a video platform of the host.
func ExampleWithEmbedHosts() {
	st, remove := openStore()
	defer remove()

	platform, err := learning.New(st, learning.WithMedia(memory{}),
		learning.WithEmbedHosts("videos.example.org"))
	if err != nil {
		log.Fatal(err)
	}
	embed := func(url string) error {
		_, err := platform.Catalog.AddCourse(context.Background(),
			learning.Actor{UserID: "ada", Role: core.Educator}, catalog.NewCourse{Title: "Rigging",
				Content: []catalog.Chapter{{Title: "One", Lectures: []catalog.Lecture{
					{Title: "Masts", Kind: catalog.KindEmbed, URL: url}}}}}, picture())
		return err
	}
	fmt.Println(embed("https://videos.example.org/watch/1") == nil,
		errors.Is(embed("https://other.example.org/watch/1"), core.ErrInvalidRequest))
	// Output: true true
}

// The host tells the platform of a user, with all that an event can carry.
func ExampleSystem_ApplyIdentityEvent_fields() {
	platform, remove := academy()
	defer remove()
	ctx := context.Background()

	role := core.Educator
	changed := time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC) // of the row in the table of the host
	err := platform.System().ApplyIdentityEvent(ctx, people.IdentityEvent{
		Type: people.UserUpdated, // or UserCreated; the first of them creates the record
		User: people.IdentityUser{
			ID:        "ida",
			FirstName: "Ida", LastName: "Lewis",
			Emails: []people.IdentityEmail{
				{ID: "1", Address: "ida@example.com"}, {ID: "2", Address: "lewis@example.org"}},
			PrimaryEmailID: "2",
			ImageURL:       "https://example.org/ida.jpg",
			CreatedAt:      changed.AddDate(-1, 0, 0),
			UpdatedAt:      changed,
			Role:           &role,
		}})
	if err != nil {
		log.Fatal(err)
	}

	user, err := platform.People.User(ctx, people.Claims{UserID: "ida"})
	fmt.Println(user.Name, user.Email, err)
	// Output: Ida Lewis lewis@example.org <nil>
}

// A test of the host moves the time of the platform.
func ExampleWithClock() {
	clock := learningtest.NewClock(time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC))
	platform, remove := academy(learning.WithClock(clock))
	defer remove()
	ctx := context.Background()
	admin := platform.System().Actor("tests")

	clock.Advance(48 * time.Hour)
	_, err := platform.Study.GrantEnrollment(ctx, admin,
		study.Grant{UserID: "ben", CourseID: "sailing"})
	if err != nil {
		log.Fatal(err)
	}
	list, err := platform.Study.Enrollments(ctx, admin, study.EnrollmentQuery{UserID: "ben"},
		learning.PageRequest{Limit: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(list.Rows[0].CreatedAt.Format(time.DateTime))
	// Output: 2026-03-16 09:00:00
}

// Every operation takes a context, which ends it.
func Example_contexts() {
	dir := must(os.MkdirTemp("", "example"))
	defer os.RemoveAll(dir)
	ctx := context.Background()

	st, err := engines.Open(ctx, "sqlite:"+filepath.Join(dir, "learning.db"),
		store.WithDeadlines(2*time.Second, 5*time.Second)) // of a read, and of a transaction
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	if err := st.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	platform, err := learning.New(st,
		learning.WithProviderTimeout(3*time.Second)) // of a call to the gateway and the others
	if err != nil {
		log.Fatal(err)
	}

	// A job of the host has a deadline of its own, and reads on the connections of such work.
	job, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	_, err = platform.Staff.Stats(job, platform.System().Actor("reports"))
	fmt.Println("the job:", err)

	// A payment that the host is told of must not wait for reads of others.
	urgent := core.WithReadClass(ctx, core.UrgentReads)
	_, err = platform.People.Identify(urgent, people.Claims{UserID: "ben"})
	fmt.Println("the payment:", err)

	// What is cancelled returns the error of the context, and has changed nothing.
	left, leave := context.WithCancel(ctx)
	leave()
	_, err = platform.Study.GrantEnrollment(left, platform.System().Actor("billing"),
		study.Grant{UserID: "ben", CourseID: "sailing"})
	fmt.Println("cancelled:", errors.Is(err, context.Canceled))
	// Output:
	// the job: <nil>
	// the payment: <nil>
	// cancelled: true
}
