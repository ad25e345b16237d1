package exchange_test

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

// history is a file with a row of each kind. It needs the courses of school.
//
//go:embed testdata/people.jsonl
var history string

// school publishes the courses of history.
func school(t *testing.T, w *roomtest.World) {
	t.Helper()
	w.Course(t, "sailing", 99_00)
	w.Publish(t, "rowing", roomtest.Chapter("a", "a1", "a2"), roomtest.Chapter("b", "b1"))
}

// parsed returns the people of a file without faults.
func parsed(t *testing.T, file string) exchange.People {
	t.Helper()
	p, err := exchange.ParsePeople(strings.NewReader(file), exchange.PeopleFormat{})
	if err != nil || len(p.Faults) > 0 {
		t.Fatal(err, p.Faults)
	}
	return p
}

// each returns how many rows of each kind history has.
func each() map[exchange.PeopleKind]int {
	return map[exchange.PeopleKind]int{exchange.PersonUser: 2, exchange.PersonEnrollment: 2,
		exchange.PersonProgress: 3, exchange.PersonResult: 2, exchange.PersonCertificate: 1,
		exchange.PersonRating: 1, exchange.PersonSale: 1}
}

func TestImportPeople_KeepsDatesAndChangesNothingAgain(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		var told roomtest.Receiver
		w := roomtest.New(t, database, told.Option())
		school(t, w)
		before := len(w.Written(t))
		p := parsed(t, history)
		for i := range 2 {
			done, err := w.Platform.System().ImportPeople(ctx(), p, exchange.PeopleOptions{})
			roomtest.Must(t, err)
			got := done.Added
			if i > 0 {
				got = done.Existing
			}
			if diff := cmp.Diff(each(), got, ignoreZero); diff != "" {
				t.Errorf("run %d: %s", i+1, diff)
			}
			w.WantInvariants(t)
			w.WantCounted(t)
		}
		if n := len(w.Written(t)); n != before {
			t.Errorf("%d events were written", n-before)
		}

		// What the platform shows is what the file has.
		dora, ed := core.Actor{UserID: "dora", Name: "Dora Maar"}, core.Actor{UserID: "ed"}
		u, err := w.Platform.People.User(ctx(), people.Claims{UserID: "dora"})
		roomtest.Must(t, err)
		want := people.User{ID: "dora", Name: "Dora Maar", Email: "Dora@Example.com",
			CreatedAt: day("2023-12-31T22:59:59Z"), ChangedAt: time.Unix(1, 0).UTC(),
			Enrolled: []string{"rowing"}}
		if diff := cmp.Diff(want, u); diff != "" {
			t.Error(diff)
		}
		progress, err := w.Platform.Study.Progress(ctx(), dora, "rowing")
		roomtest.Must(t, err)
		if diff := cmp.Diff([]string{"a2", "a1", "b1"}, progress.Lectures); diff != "" ||
			!progress.CompletedAt.Equal(day("2024-03-01T00:00:00Z")) {
			t.Errorf("%+v: %s", progress, diff)
		}
		progress, err = w.Platform.Study.Progress(ctx(), ed, "rowing")
		roomtest.Must(t, err)
		if diff := cmp.Diff([]string{"a1", "a2"}, progress.Lectures); diff != "" {
			t.Error(diff)
		}
		results, err := w.Platform.Assess.QuizResults(ctx(), ed, "rowing", "b")
		roomtest.Must(t, err)
		if len(results) != 2 || results[0].Percentage != 60 || !results[0].Passed ||
			!results[1].Passed || !results[1].CreatedAt.Equal(day("2024-03-01T00:00:00Z")) {
			t.Errorf("%+v", results)
		}
		c, err := w.Platform.Certify.VerifyCertificate(ctx(), "OLD-17.b")
		roomtest.Must(t, err)
		wantCertificate := certify.Certificate{ID: "OLD-17.b", UserID: "dora", CourseID: "rowing",
			StudentName: "Dora Maar", CourseTitle: "Course rowing", EducatorName: "educator",
			IssuerName: c.IssuerName, CompletedAt: day("2024-03-02T00:00:00Z"),
			IssuedAt: day("2024-03-02T00:00:00Z")}
		if diff := cmp.Diff(wantCertificate, c); diff != "" {
			t.Error(diff)
		}
		course, err := w.Platform.Study.EnrolledCourse(ctx(), dora, "rowing")
		roomtest.Must(t, err)
		if course.Stars != 4 || course.Review != "Calm." || course.Ratings.Count != 1 ||
			course.Students != 2 || !course.EnrolledAt.Equal(day("2024-01-02T03:04:05Z")) {
			t.Errorf("%+v", course)
		}
	})
}

// ignoreZero compares counts of kinds of which there is none as if they were missing.
var ignoreZero = cmp.FilterPath(func(p cmp.Path) bool {
	return true
}, cmp.Transformer("counted", func(m map[exchange.PeopleKind]int) string {
	var s strings.Builder
	for _, k := range exchange.PeopleKinds {
		fmt.Fprintln(&s, k, m[k])
	}
	return s.String()
}))

// day returns the time of a text in RFC 3339.
func day(s string) time.Time {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return at
}

func TestImportPeople_WhatThePlatformHasStays(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	school(t, w)
	p := parsed(t, history)
	_, err := w.Platform.System().ImportPeople(ctx(), p, exchange.PeopleOptions{})
	roomtest.Must(t, err)

	// The provider renames a person, who rates anew. An admin ends an enrolment.
	dora := w.Person(t, "dora", core.Student)
	roomtest.Must(t, w.Platform.Community.Rate(ctx(), dora, "rowing", 2))
	admin := w.Platform.System().Actor("test")
	roomtest.Must(t, w.Platform.Study.EndEnrollment(ctx(), admin, "ed", "rowing"))
	roomtest.Must(t, w.Platform.Study.EndEnrollment(ctx(), admin, "ed", "sailing"))
	p.Rows = append(p.Rows, exchange.PeopleRow{Kind: exchange.PersonEnrollment, UserID: "ed",
		CourseID: "sailing", At: day("2024-01-09T00:00:00Z")}) // of the time of the ended one
	before := w.Dump(t)
	done, err := w.Platform.System().ImportPeople(ctx(), p, exchange.PeopleOptions{})
	roomtest.Must(t, err)
	done.Existing[exchange.PersonEnrollment]--
	if diff := cmp.Diff(each(), done.Existing, ignoreZero); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
		t.Error(diff)
	}
}

func TestImportPeople_DryRunCountsAndStoresNothing(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		school(t, w)
		before := w.Dump(t)
		done, err := w.Platform.System().ImportPeople(ctx(), parsed(t, history+history),
			exchange.PeopleOptions{DryRun: true})
		roomtest.Must(t, err)
		if diff := cmp.Diff(each(), done.Added, ignoreZero); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(each(), done.Existing, ignoreZero); diff != "" {
			t.Errorf("repeated rows: %s", diff)
		}
		if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
			t.Error(diff)
		}
	})
}

// The totals are right at every commit, and what was interrupted is finished by the same call.
func TestImportPeople_IsInterrupted_IsFinishedByTheSameCall(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		school(t, w)
		p := manyPeople(150)
		for batch := 1; ; batch++ {
			until, cancel := context.WithCancel(ctx())
			batches := 0
			_, err := w.Platform.System().ImportPeople(until, p, exchange.PeopleOptions{
				Progress: func(int, int) {
					if batches++; batches == batch {
						cancel()
					}
				}})
			cancel()
			w.WantInvariants(t)
			if err == nil {
				break
			}
			roomtest.WantFailure(t, err, context.Canceled, "an interrupted import")
		}
		if n := w.Students(t, "rowing"); n != 150 {
			t.Errorf("%d students", n)
		}
		w.WantCounted(t)
	})
}

// manyPeople returns so many users with an enrolment, progress and a rating each.
func manyPeople(users int) (p exchange.People) {
	at := day("2024-01-01T00:00:00Z")
	for i := range users {
		id := fmt.Sprintf("student-%06d", i)
		for _, r := range []exchange.PeopleRow{
			{Kind: exchange.PersonRating, Stars: 1 + i%5},
			{Kind: exchange.PersonProgress, Percent: i % 101},
			{Kind: exchange.PersonEnrollment},
			{Kind: exchange.PersonUser, Name: "Student " + id, Email: id + "@example.com"},
		} {
			r.UserID, r.At = id, at.Add(time.Duration(i)*time.Minute)
			if r.Kind != exchange.PersonUser {
				r.CourseID = "rowing"
			}
			p.Rows = append(p.Rows, r)
		}
	}
	return p
}

func TestImportPeople_TwoAtOnce_StoreEachRowOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		school(t, w)
		p := manyPeople(60)
		for _, err := range roomtest.Concurrently(3, func(int) error {
			_, err := w.Platform.System().ImportPeople(ctx(), p, exchange.PeopleOptions{})
			return err
		}) {
			roomtest.Must(t, err)
		}
		if n := w.Students(t, "rowing"); n != 60 {
			t.Errorf("%d students", n)
		}
		w.WantInvariants(t)
		w.WantCounted(t)
	})
}

func TestImportPeople_Tell_WritesTheEvents(t *testing.T) {
	var told roomtest.Receiver
	w := roomtest.New(t, roomtest.SQLite(t), told.Option())
	school(t, w)
	_, err := w.Platform.System().ImportPeople(ctx(), parsed(t, history),
		exchange.PeopleOptions{Tell: true})
	roomtest.Must(t, err)
	got := map[core.EventType]int{}
	for _, e := range w.Written(t) {
		if strings.HasPrefix(e.Subject, "user:") {
			got[e.Type]++
		}
	}
	want := map[core.EventType]int{study.EventEnrollmentCreated: 3, study.EventLectureCompleted: 5,
		study.EventCourseCompleted: 1, "quiz.submitted": 2, certify.EventCertificateIssued: 1,
		"review.created": 1,
		// Of the certificate, and to the educator of the review.
		core.EventNotificationCreated: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// faultyRows are rows with what their error says.
const faultyRows = `

	has no field that has a value
"kind": "admin"
	column 10: kind must be one of
"kind": "user"
	column 1: id is missing
"kind": "user", "id": "gone"
	column 24: id "gone" was deleted, which is permanent
"kind": "user", "id": "x", "createdAt": "soon"
	createdAt must be a time
"kind": "user", "id": "x", "createdAt": "2999-01-01"
	createdAt must not be in the future
"kind": "user", "id": "x", "createdAt": "1960-01-01"
	createdAt must be a time from 1970 to 9999
"kind": "enrollment", "userId": "one", "courseId": "rowing"
	createdAt is missing
"kind": "enrollment", "courseId": "rowing", "createdAt": "2024-01-01"
	userId is missing
"kind": "enrollment", "userId": "none", "courseId": "rowing", "createdAt": "2024-01-01"
	userId "none": there is no such user
"kind": "enrollment", "email": "no@example.com", "courseId": "rowing", "createdAt": "2024-01-01"
	is the address of 0 users
"kind": "enrollment", "email": "Both@example.com", "courseId": "rowing", "createdAt": "2024-01-01"
	is the address of 2 users
"kind": "enrollment", "userId": "one", "courseId": "flying", "createdAt": "2024-01-01"
	courseId "flying": there is no such course
"kind": "progress", "percent": 5, …
	courseId "rowing": the user is not enrolled in it
"kind": "progress", …
	lectureId is missing
"kind": "progress", "userId": "one", "courseId": "rowing", "lectureId": "z", "createdAt": 0
	createdAt must be a time
"kind": "progress", "lectureId": "z", …
	lectureId "z": the course has no such lecture
"kind": "progress", "percent": 101, …
	percent must be from 0 to 100
"kind": "progress", "userId": "one", "courseId": "rowing", "percent": [1]
	percent must be a text or a number
"kind": "result", "userId": "one", "courseId": "rowing", "chapterId": "a", "score": 2, "total": 1
	score must be a whole number from 0 to total
"kind": "result", "userId": "one", "courseId": "rowing", "chapterId": "a", "score": "2.5"
	score must be a whole number
"kind": "sale", "amount": 1, "currency": "XXX", "reference": "1", …
	currency must be a currency of ISO 4217
"kind": "sale", "amount": 19.5, "currency": "JPY", "reference": "1", …
	amount must be from 0 to
"kind": "sale", "amount": 1, "currency": "INR", …
	reference must not be blank
"kind": "sale", "amount": "much", …
	amount must be a number
"kind": "rating", "userId": "one", "courseId": "rowing", "rating": 6
	rating must be a whole number from 1 to 5
"kind": "certificate", "userId": "one", "courseId": "rowing", "certificateId": ".."
	certificateId must be
"kind": "certificate", "userId": "one", "courseId": "rowing", "certificateId": "a/b"
	certificateId must be
"kind": "user", "id": "x", "surname": "y"
	there is no field "surname"; the fields are kind, id
"kind": "user", 
	is not an object in JSON on one line
`

func TestImportPeople_FaultsNameLineAndField(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	school(t, w)
	w.Deleted(t, "gone", 1)
	for _, email := range []string{"one", "two"} {
		w.Apply(t, people.IdentityEvent{Type: people.UserCreated, User: people.IdentityUser{
			ID: email, Emails: []people.IdentityEmail{{Address: "both@example.com"}}}})
	}
	// "…" stands for a person, a course and a time that are right.
	const right = `"userId": "one", "courseId": "rowing", "createdAt": "2024-01-01"`
	lines := slices.Collect(strings.Lines(faultyRows[1:]))
	for pair := range slices.Chunk(lines, 2) {
		row, want := strings.TrimSpace(pair[0]), strings.TrimSpace(pair[1])
		row = strings.Replace(row, "…", right, 1)
		file := "\n{" + row + "}\n" + `{"kind": "user", "id": "valid"}`
		before := w.Dump(t)
		p, err := exchange.ParsePeople(strings.NewReader(file[1:]), exchange.PeopleFormat{})
		roomtest.Must(t, err)
		_, err = w.Platform.System().ImportPeople(ctx(), p, exchange.PeopleOptions{})
		if err == nil || !strings.HasPrefix(err.Error(), "line 1, column ") ||
			!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", row, err, want)
		}
		if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
			t.Errorf("%s: %s", row, diff)
		}
	}
}

func TestImportPeople_SkipInvalid_LeavesOutWhatDependsOnIt(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	school(t, w)
	p, err := exchange.ParsePeople(strings.NewReader(`
{"kind": "user", "id": "bad", "createdAt": "2999-01-01"}
{"kind": "user", "id": "good"}
not JSON
{"kind": "enrollment", "userId": "bad", "courseId": "rowing", "createdAt": "2024-01-01"}
{"kind": "enrollment", "userId": "good", "courseId": "rowing", "createdAt": "2024-01-01"}
`), exchange.PeopleFormat{})
	roomtest.Must(t, err)
	done, err := w.Platform.System().ImportPeople(ctx(), p,
		exchange.PeopleOptions{SkipInvalid: true})
	roomtest.Must(t, err)
	var lines []int
	for _, f := range done.Faults {
		lines = append(lines, f.Line)
	}
	if diff := cmp.Diff([]int{2, 4, 5}, lines); diff != "" ||
		done.Added[exchange.PersonUser] != 1 ||
		done.Added[exchange.PersonEnrollment] != 1 {
		t.Errorf("%+v: %s", done, diff)
	}
	w.WantInvariants(t)
}

// The number of a certificate or of a sale names one, in the platform and in the file. That is
// found before anything is stored.
func TestImportPeople_NumbersAreTaken(t *testing.T) {
	for name, stored := range map[string]string{"in the platform": history, "in the file": ""} {
		w := roomtest.New(t, roomtest.SQLite(t))
		school(t, w)
		file := history
		if stored != "" {
			_, err := w.Platform.System().ImportPeople(ctx(), parsed(t, stored),
				exchange.PeopleOptions{})
			roomtest.Must(t, err)
			file = ""
		}
		file += strings.NewReplacer(`"certificate", "userId": "dora"`,
			`"certificate", "userId": "ed"`, `"amount": 19.9`, `"amount": 20`).Replace(history)
		before := w.Dump(t)
		_, err := w.Platform.System().ImportPeople(ctx(), parsed(t, file),
			exchange.PeopleOptions{})
		text := fmt.Sprint(err)
		if !strings.Contains(text, `certificateId "OLD-17.b" is that of another certificate`) ||
			!strings.Contains(text, `reference "4711" was used for another sale`) ||
			strings.Count(text, "\n") != 1 {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A host may give times with more digits than are stored.
func TestImportPeople_NanosecondsOfAHost_ChangeNothingAgain(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	school(t, w)
	p := parsed(t, history)
	for i := range p.Rows {
		p.Rows[i].At = p.Rows[i].At.Add(7)
	}
	_, err := w.Platform.System().ImportPeople(ctx(), p, exchange.PeopleOptions{})
	roomtest.Must(t, err)
	before := w.Dump(t)
	done, err := w.Platform.System().ImportPeople(ctx(), p, exchange.PeopleOptions{})
	roomtest.Must(t, err)
	if diff := cmp.Diff(each(), done.Existing, ignoreZero); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
		t.Error(diff)
	}
}

func TestParsePeople_ReadsTheFilesOfOtherSystems(t *testing.T) {
	format := exchange.PeopleFormat{
		Columns: map[string]string{"email": "Email address", "createdAt": "Enrolled"},
		Set:     map[string]string{"kind": "enrollment", "courseId": "rowing"}}
	want := exchange.PeopleRow{Kind: exchange.PersonEnrollment, Email: "ann@example.com",
		CourseID: "rowing", At: day("2024-03-01T00:00:00Z")}
	for name, file := range map[string]string{
		"commas": "Email address,Notes,Enrolled\nann@example.com,\"a, b\",2024-03-01\n",
		"semicolons": "\ufeffEmail address;Notes;Enrolled\r\n" +
			"ann@example.com;\"a, b\";2024-03-01\r\n",
		"tabs": "Email address\tNotes\tEnrolled\n" +
			"ann@example.com\ta, b\t2024-03-01 00:00:00 UTC",
		"JSON": `{"Email address": "ann@example.com", "Notes": null, "Enrolled": 1709251200}`,
	} {
		p, err := exchange.ParsePeople(strings.NewReader(file), format)
		if err != nil || len(p.Faults) > 0 || len(p.Rows) != 1 {
			t.Errorf("%s: %v, %+v", name, err, p)
			continue
		}
		got := p.Rows[0]
		got.Forget()
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(exchange.PeopleRow{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestParsePeople_RefusesFilesThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		file, want string
		format     exchange.PeopleFormat
	}{
		"empty": {file: "", want: "it is empty"},
		"unknown column": {file: "kind,foo\n",
			want: `column 2 of the first line: there is no field "foo"`},
		"repeated": {file: "kind,kind\n", want: "kind stands there twice"},
		"unknown name": {file: "kind\n", want: `there is no field "mail"`,
			format: exchange.PeopleFormat{Set: map[string]string{"mail": "x"}}},
	} {
		if _, err := exchange.ParsePeople(strings.NewReader(c.file), c.format); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	p, err := exchange.ParsePeople(strings.NewReader("kind,id\nuser,a,b\nuser,\"c\n"),
		exchange.PeopleFormat{})
	if err != nil || len(p.Rows) != 0 || len(p.Faults) != 2 || p.Faults[0].Line != 2 {
		t.Errorf("%v: %+v", err, p)
	}
}

func FuzzParsePeople(f *testing.F) {
	for _, file := range []string{history, "kind,id\nuser,a\n", "kind;id\nuser;\"a",
		"{\"kind\":1}\n{"} {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file string) {
		p, err := exchange.ParsePeople(strings.NewReader(file), exchange.PeopleFormat{})
		if err != nil {
			return
		}
		for _, r := range p.Rows {
			if r.UserID == "" && r.Email == "" || r.Kind == "" {
				t.Errorf("%+v", r)
			}
		}
		if lines := 1 + strings.Count(file, "\n"); len(p.Rows)+len(p.Faults) > lines {
			t.Errorf("%d rows in %d lines", len(p.Rows)+len(p.Faults), lines)
		}
	})
}

// BenchmarkImportPeople is the import of 100,000 rows.
func BenchmarkImportPeople(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		k := learningtest.New(b)
		k.Course(b, "rowing", 0)
		p := manyPeople(25_000)
		b.StartTimer()
		done, err := k.Platform.System().ImportPeople(b.Context(), p, exchange.PeopleOptions{})
		if err != nil || done.Added[exchange.PersonUser] != 25_000 {
			b.Fatal(err, done.Added)
		}
	}
	b.ReportMetric(float64(100_000*b.N)/b.Elapsed().Seconds(), "rows/s")
}
