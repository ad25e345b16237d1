package exchange_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// smallCatalogue has two courses of an educator whom the platform does not know.
const smallCatalogue = `{
	"people": [{"_id": "user_teacher", "firstName": "Tea", "lastName": "Cher", "email": "tea@example.com"}],
	"courses": [
		{"_id": "paid", "educatorId": "user_teacher", "courseTitle": "Paid", "courseDescription": "", "coursePrice": 499,
		 "courseContent": [{"chapterTitle": "One", "chapterContent": [{"lectureTitle": "A", "lectureDuration": 1, "lectureUrl": "https://v.example.com/a"}]}]},
		{"_id": "free", "educatorId": "user_teacher", "courseTitle": "Free", "courseDescription": "", "coursePrice": 0,
		 "courseContent": [{"chapterTitle": "One", "chapterContent": [{"lectureTitle": "A", "lectureDuration": 1, "lectureUrl": "https://v.example.com/a"}]}]}
	]
}`

// importText parses a catalogue and imports it, with pictures for all courses.
func importText(
	t *testing.T, p *learning.Platform, text string,
) (exchange.CatalogueImport, error) {
	t.Helper()
	c, err := exchange.ParseCatalogue([]byte(text))
	if err != nil {
		return exchange.CatalogueImport{}, err
	}
	return p.System().ImportCatalogue(t.Context(), c, exchange.CatalogueFiles{
		FS:      fstest.MapFS{"bad.json": &fstest.MapFile{Data: []byte(text)}},
		Picture: func(string) ([]byte, error) { return learningtest.Thumbnail(t), nil }})
}

// messageOf returns the text of an error, or "".
func messageOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestImportCatalogue_ErrorsNameCourseAndField(t *testing.T) {
	k := learningtest.New(t)
	for name, c := range map[string]struct{ old, new, want string }{
		"no JSON": {`{`, `[`, "not a catalogue"},
		"misspelt field": {`"coursePrice": 499`, `"price": 499`,
			`line 4, column 97: course 1 (paid): has an unknown field "price"`},
		"wrong type": {`"coursePrice": 499`, `"coursePrice": "much"`, "course 1 (paid)"},
		"price too exact": {`"coursePrice": 499`, `"coursePrice": 499.999`,
			"course 1 (paid): coursePrice"},
		"key of metadata": {`"coursePrice": 499`, `"coursePrice": 499, "metadata": {"A b": "1"}`,
			"course 1 (paid): metadata must have at most 50 keys of 1 to 40 letters a-z"},
		"metadata that is no text": {`"coursePrice": 499`,
			`"coursePrice": 499, "metadata": {"level": 1}`, "course 1 (paid): metadata"},
		"price below zero": {`"coursePrice": 499`, `"coursePrice": -1`,
			"course 1 (paid): coursePrice"},
		"price below the least": {`"coursePrice": 499`, `"coursePrice": 0.5`,
			"course 1 (paid): coursePrice"},
		"price in no currency": {`"coursePrice": 499`,
			`"coursePrice": 499, "prices": [{"currency": "euro", "price": 1}]`,
			"course 1 (paid): prices[0].currency is \"euro\"; it must be a currency of ISO 4217"},
		"two prices in a currency": {`"coursePrice": 499`,
			`"coursePrice": 499, "prices": [{"currency": "EUR", "price": 1}, {"currency": "EUR", "price": 2}]`,
			"course 1 (paid): prices[1].currency is EUR, which the course has a price in already"},
		"price in the platform's currency": {`"coursePrice": 499`,
			`"coursePrice": 499, "prices": [{"currency": "INR", "price": 1}]`,
			"course 1 (paid): prices[0].currency is INR, which the course has a price in already"},
		"price with the decimals of another currency": {`"coursePrice": 499`,
			`"coursePrice": 499, "prices": [{"currency": "JPY", "price": 1.5}]`,
			"course 1 (paid): prices[0].price must be a number above 0 and up to 1000000000 with at most 0 decimals"},
		"price of 0 in another currency": {`"coursePrice": 499`,
			`"coursePrice": 499, "prices": [{"currency": "EUR", "price": 0}]`,
			"course 1 (paid): prices[0].price must be a number above 0"},
		"unknown field of a price": {`"coursePrice": 499`,
			`"coursePrice": 499, "prices": [{"currency": "EUR", "amount": 1}]`,
			`course 1 (paid): prices[0] has an unknown field "amount"`},
		"no price": {`"coursePrice": 499,`, ``, "course 1 (paid): coursePrice"},
		"discount": {`"coursePrice": 499`, `"coursePrice": 499, "discount": 101`,
			"course 1 (paid): discount"},
		"no id":          {`"_id": "paid",`, ``, "course 1: _id"},
		"id of the list": {`"_id": "paid"`, `"_id": "all"`, "course 1 (all): _id"},
		"id of another":  {`"_id": "free"`, `"_id": "paid"`, "course 2 (paid): _id"},
		"no title": {`"courseTitle": "Paid"`, `"courseTitle": " "`,
			"course 1 (paid): courseTitle"},
		"negative duration": {`"lectureDuration": 1`, `"lectureDuration": -1`,
			"course 1 (paid): courseContent[0].chapterContent[0].lectureDuration"},
		"no web address": {`https://v.example.com/a`, `javascript:alert(1)`,
			"course 1 (paid): courseContent[0].chapterContent[0].lectureUrl"},
		"no kind": {`"lectureDuration": 1`, `"lectureDuration": 1, "kind": "song"`,
			"course 1 (paid): courseContent[0].chapterContent[0].kind"},
		"no time": {`"lectureDuration": 1`,
			`"lectureDuration": 1, "assignment": {"dueAt": "2026-02-30"}`,
			"course 1 (paid): courseContent[0].chapterContent[0].assignment.dueAt must be a time"},
		"no such file": {`"lectureDuration": 1`, `"lectureDuration": 1, "lectureFile": "none.mp4"`,
			"course paid: file none.mp4"},
		"chapter id of a path": {`"chapterTitle": "One"`,
			`"chapterId": "a/b", "chapterTitle": "One"`,
			"course 1 (paid): courseContent[0].chapterId"},
		"lecture id of a path": {`"lectureTitle": "A"`, `"lectureId": "..", "lectureTitle": "A"`,
			"course 1 (paid): courseContent[0].chapterContent[0].lectureId"},
		"no lecture": {
			`[{"lectureTitle": "A", "lectureDuration": 1, "lectureUrl": "https://v.example.com/a"}]`, `[]`, "course 1 (paid): courseContent"},
		"nameless person": {`"firstName": "Tea", "lastName": "Cher"`, `"firstName": ""`,
			"person 1"},
		"unknown educator": {`"educatorId": "user_teacher"`, `"educatorId": "user_x"`,
			"course paid: educatorId"},
		"no such picture": {`"_id": "paid"`, `"_id": "paid", "courseThumbnail": "none.png"`,
			"course paid: courseThumbnail"},
		"no picture": {`"_id": "paid"`, `"_id": "paid", "courseThumbnail": "bad.json"`,
			"course paid: courseThumbnail"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(smallCatalogue, c.old, c.new, 1)
			if text == smallCatalogue {
				t.Fatal("the case changes nothing")
			}
			_, err := importText(t, k.Platform, text)
			if !strings.Contains(messageOf(err), c.want) {
				t.Errorf("%v\nwithout %q", err, c.want)
			}
		})
	}
}

// Each problem is found in one run, and has its line and column.
func TestParseCatalogue_ErrorsNameLineAndColumn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{\n  \"people\": [],\n  \"courses\": [\n    {\"_id\": \"a\",}\n  ]\n}": "line 4, column 17: the file is not a catalogue in JSON: invalid character '}'",
		"{\"people\": [": "line 1, column 12: the file is not a catalogue in JSON: " +
			"unexpected end",
		"{\"people\": []}\n\n x": "line 3, column 2: the file is not a catalogue in JSON: invalid " +
			"character 'x' after",
		"": "line 1, column 1: the file is not a catalogue in JSON: " +
			"unexpected end",
		"\n[]": "line 2, column 1: the file is not a catalogue: must be an " +
			"object in { }\n",
		"{\"people\": 7}": "line 1, column 12: the file is not a catalogue: people must be " +
			"a list in [ ]\n",
		"{\r\n\"curses\": []}": "line 2, column 1: the file is not a catalogue: has an unknown " +
			"field \"curses\"\n",
		"{\"people\": [\n{\"_id\": \"é\", \"firstName\": 7}]}": "line 2, column 27: " +
			"person 1: firstName must be a text in quotes\n",
		"{\"people\": [{\"_id\": \"a\", \"firstName\": \"A\"},\n {}]}": "line 2, column 2: person " +
			"2: _id and a name are required\n",
		"{\"courses\": [\n 7]}": "line 2, column 2: course 1: must be an object in { }\n",
		"{\"courses\": [{\"_id\": \"a\",\n\"courseContent\": [{\"title\": 1}]}]}":           "line 2, column 20: course 1 (a): courseContent[0] has an unknown field \"title\"\n",
		"{\"courses\": [{\"_id\": \"a\",\n\"courseContent\": [{\"chapterOrder\": 1.5}]}]}":  "line 2, column 36: course 1 (a): courseContent[0].chapterOrder must be a whole number\n",
		"{\"courses\": [{\"_id\": \"a\",\n\"isPublished\": \"yes\"}]}":                      "line 2, column 16: course 1 (a): isPublished must be true or false\n",
		"{\"courses\": [{\"_id\": \"a\",\n\"coursePrice\": \"much\"}]}":                     "line 2, column 16: course 1 (a): coursePrice must be a number\n",
		"{\"courses\": [{\"_id\": \"a\",\n \"COURSEPRICE\": -5, \"courseContent\": null}]}": "line 2, column 17: course 1 (a): coursePrice must be a number from 0",
		"{\"courses\": [\n  {\"_id\": \"a\"}]}":                                             "line 2, column 3: course 1 (a): educatorId is missing\n",
		"{\"courses\": [{\"courseContent\": [\n{\"chapterContent\": [{\n " +
			"\"lectureUrl\":\t\"x\"}]}]}]}": "line 3, column 16: course 1: " +
			"courseContent[0].chapterContent[0].lectureUrl must be",
	} {
		_, err := exchange.ParseCatalogue([]byte(text))
		if got := "\n" + messageOf(err) + "\n"; !strings.Contains(got, "\n"+want) {
			t.Errorf("%s\nwithout %q", got, want)
		}
	}
}

func TestImportCatalogue_FaultsOfAllCoursesAreListed(t *testing.T) {
	k := learningtest.New(t)
	text := strings.NewReplacer(`"coursePrice": 499`, `"price": 499, "discount": []`,
		`"courseTitle": "Free"`, `"courseTitle": ""`,
		`"educatorId": "user_teacher", "courseTitle": "Paid"`,
		`"educatorId": 7, "courseTitle": "Paid"`).Replace(smallCatalogue)
	_, err := importText(t, k.Platform, text)
	if strings.Count("\n"+messageOf(err), "\nline ") != 4 {
		t.Error(err)
	}
	text = strings.ReplaceAll(smallCatalogue, `"educatorId": "user_teacher"`,
		`"educatorId": "user_x"`)
	_, err = importText(t, k.Platform, text)
	for _, want := range []string{"line 4, column 3: course paid: educatorId",
		"line 6, column 3: course free: educatorId"} {
		if !strings.Contains(messageOf(err), want) {
			t.Errorf("%v\nwithout %q", err, want)
		}
	}
}

func TestImportCatalogue_AgainChangesNothing(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		k := learningtest.New(t, learningtest.WithDatabase(database))
		for _, want := range []exchange.CatalogueImport{{Added: 2}, {Existing: 2}} {
			done, err := importText(t, k.Platform, smallCatalogue)
			if err != nil || !cmp.Equal(done, want) {
				t.Errorf("%+v, want %+v: %v", done, want, err)
			}
		}
		c, err := k.Platform.Catalog.PublishedCourse(t.Context(), "paid")
		if err != nil || c.Price != 499_00 || c.Educator.Name != "Tea Cher" {
			t.Errorf("%+v: %v", c.Course, err)
		}
	})
}

// A course keeps its prices in other currencies. Those that nobody can pay are left out, and named.
func TestImportCatalogue_Prices(t *testing.T) {
	k := learningtest.New(t)
	done, err := importText(t, k.Platform, strings.Replace(smallCatalogue, `"coursePrice": 499`,
		`"coursePrice": 499, "prices": [{"currency": "EUR", "price": 21.5}, {"currency": "IQD", "price": 9},
		{"currency": "USD", "price": 0.01}, {"currency": "JPY", "price": 2500}]`, 1))
	roomtest.Must(t, err)
	c, err := k.Platform.Catalog.PublishedCourse(t.Context(), "paid")
	roomtest.Must(t, err)
	wantSkipped := []exchange.SkippedPart{
		{What: "the price in IQD of the course paid",
			Why: "no payment provider of this platform takes 9 IQD"},
		{What: "the price in USD of the course paid",
			Why: "no payment provider of this platform takes 0.01 USD"}}
	if d := cmp.Diff(exchange.CatalogueImport{Added: 2, Skipped: wantSkipped}, done); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	want := []catalog.Price{{Currency: "EUR", Amount: 21_50}, {Currency: "JPY", Amount: 2500}}
	if d := cmp.Diff(want, c.Prices); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// A course that cannot be imported leaves the others as they are, and the result counts these.
func TestImportCatalogue_SkipsWhatFails(t *testing.T) {
	k := learningtest.New(t)
	done, err := importText(t, k.Platform, strings.Replace(smallCatalogue, `"_id": "paid"`,
		`"_id": "paid", "courseThumbnail": "none.png"`, 1))
	if want := (exchange.CatalogueImport{Added: 1}); !cmp.Equal(done, want) ||
		!strings.HasPrefix(messageOf(err), "line 4, column 3: course paid: courseThumbnail: ") {
		t.Errorf("%+v, want %+v: %v", done, want, err)
	}
}

// A catalogue that a host has made has no lines. It is checked all the same, before anything is
// stored.
func TestImportCatalogue_ChecksACatalogueWithoutAFile(t *testing.T) {
	k := learningtest.New(t)
	valid := exchange.CatalogueCourse{ID: "made", Educator: "ada", Title: "Made", Price: "19.99",
		Content: []exchange.CatalogueChapter{{Title: "One",
			Lectures: []exchange.CatalogueLecture{{Title: "A", URL: "https://v.example.com/a"}}}}}
	made := exchange.Catalogue{People: []exchange.CataloguePerson{{ID: "ada", FirstName: "Ada"}},
		Courses: []exchange.CatalogueCourse{valid, valid}}
	made.Courses[0].Price = "much"
	made.People = append(made.People, exchange.CataloguePerson{ID: "ben"})
	_, err := k.Platform.System().ImportCatalogue(t.Context(), made, exchange.CatalogueFiles{})
	const want = "person 2: _id and a name are required\n" +
		"course 1 (made): coursePrice must be a number from 0 to 10000000 with at most two decimals\n" +
		"course 2 (made): _id is the same as that of an earlier course"
	if messageOf(err) != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	if users := usersOf(t, k); users != 0 {
		t.Errorf("%d users were created", users)
	}

	// A picture that is missing is a fault of the course.
	made.People, made.Courses = made.People[:1], []exchange.CatalogueCourse{valid}
	_, err = k.Platform.System().ImportCatalogue(t.Context(), made, exchange.CatalogueFiles{})
	if messageOf(err) != "course made: courseThumbnail is missing" {
		t.Error(err)
	}
}

// usersOf returns how many users there are.
func usersOf(t *testing.T, k *learningtest.Kit) (n int) {
	t.Helper()
	stats, err := k.Platform.Staff.Stats(t.Context(), core.Actor{UserID: "boss", Role: core.Admin})
	roomtest.Must(t, err)
	return stats.Students
}

func TestImportCatalogue_RefusesALargePicture(t *testing.T) {
	k := learningtest.New(t)
	c, err := exchange.ParseCatalogue([]byte(strings.ReplaceAll(smallCatalogue, `"educatorId"`,
		`"courseThumbnail": "large.png", "educatorId"`)))
	roomtest.Must(t, err)
	_, err = k.Platform.System().ImportCatalogue(t.Context(), c, exchange.CatalogueFiles{
		FS: fstest.MapFS{"large.png": {Data: make([]byte, file.MaxThumbnail+1)}}})
	const want = "line 4, column 3: course paid: courseThumbnail large.png: "
	if !strings.HasPrefix(messageOf(err), want) {
		t.Error(err)
	}
}
