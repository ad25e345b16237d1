package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// Catalogue is a file of courses, which [ParseCatalogue] reads and [System.ImportCatalogue]
// imports:
//
//	{
//	  "people": [{"_id": "user_1", "firstName": "Ada", "lastName": "Byron",
//	     "email": "ada@example.com", "imageUrl": ""}],
//	  "courses": [{
//	    "_id": "engines", "educatorId": "user_1", "courseThumbnail": "pictures/engines.jpg",
//	    "courseTitle": "Engines", "courseDescription": "…",
//	    "coursePrice": 19.99, "discount": 15, "isPublished": true,
//	    "courseContent": [{"chapterId": "1", "chapterTitle": "Wheels", "chapterContent": [
//	      {"lectureId": "1-1", "lectureTitle": "Brass", "lectureDuration": 12.5,
//	       "lectureUrl": "https://…", "isPreviewFree": true}]}]
//	  }]
//	}
//
// A course has the fields of courseData of POST /api/educator/add-course, and these:
// _id (letters, digits, "-" and "_", at most 40), which identifies the course when the
// file is imported again; educatorId, the id of its educator at the identity provider;
// and optionally courseThumbnail, the path of a JPEG, PNG or WebP among the files of the import.
// Chapter and lecture ids, discount (0), isPublished (true), metadata ({"level": "beginner"}) and
// prices in other currencies ([{"currency": "EUR", "price": 21.5}]) are optional.
//
// A lecture may have kind, text and assignment, as in courseData, and files in place of their ids,
// with paths among the files of the import: lectureFile, captions ({"language": "en", "label":
// "English", "file": "wheels.vtt"}) and attachments ({"title": "Plan", "file": "plan.pdf"}). They
// are uploaded as files of the educator.
//
// people is needed for educators whose event has not come from the identity provider.
// A later event replaces the data in the file.
type Catalogue struct {
	People  []CataloguePerson
	Courses []CatalogueCourse
}

// catalogueFile is a catalogue with the names of a file. The type Catalogue has none, so that it
// can be embedded beside other people.
type catalogueFile struct {
	People  []CataloguePerson `json:"people"`
	Courses []CatalogueCourse `json:"courses"`
}

// CataloguePerson is a user whom a [Catalogue] creates if there is no record.
type CataloguePerson struct {
	ID        string `json:"_id"`
	FirstName string `json:"firstName"`
	LastName  string `json:"lastName"`
	Email     string `json:"email"`
	ImageURL  string `json:"imageUrl"`

	at position // in the file; zero without one
}

// name returns both names with a space between them, or the only one, or "".
func (p CataloguePerson) name() string { return strings.TrimSpace(p.FirstName + " " + p.LastName) }

// CatalogueCourse is a course of a [Catalogue]. Price and Discount are decimals, such as "19.99".
type CatalogueCourse struct {
	ID          string             `json:"_id"`
	Educator    string             `json:"educatorId"`
	Thumbnail   string             `json:"courseThumbnail"`
	Title       string             `json:"courseTitle"`
	Description string             `json:"courseDescription"`
	Price       json.Number        `json:"coursePrice"`
	Prices      []CataloguePrice   `json:"prices"` // in other currencies
	Discount    json.Number        `json:"discount"`
	Published   *bool              `json:"isPublished"`
	Metadata    core.Metadata      `json:"metadata"`
	Content     []CatalogueChapter `json:"courseContent"`

	at position // in the file; zero without one
}

// CataloguePrice is a price of a [CatalogueCourse] in a currency other than that of the platform.
// It is a decimal with no more places than the currency has.
type CataloguePrice struct {
	Currency string      `json:"currency"` // ISO 4217
	Price    json.Number `json:"price"`
}

// CatalogueChapter is a chapter of a [CatalogueCourse].
type CatalogueChapter struct {
	ID       string             `json:"chapterId"`
	Order    int                `json:"chapterOrder"`
	Title    string             `json:"chapterTitle"`
	Lectures []CatalogueLecture `json:"chapterContent"`
}

// CatalogueLecture is a lecture of a [CatalogueChapter].
type CatalogueLecture struct {
	ID          string  `json:"lectureId"`
	Order       int     `json:"lectureOrder"`
	Title       string  `json:"lectureTitle"`
	Minutes     float64 `json:"lectureDuration"`
	URL         string  `json:"lectureUrl"`
	PreviewFree bool    `json:"isPreviewFree"`

	// What follows is as in a course package, but for the name of File.
	Kind        catalog.LectureKind   `json:"kind"`
	Text        string                `json:"text"`
	File        string                `json:"lectureFile"`
	Captions    []CatalogueCaption    `json:"captions"`
	Attachments []CatalogueAttachment `json:"attachments"`
	Assignment  *CatalogueAssignment  `json:"assignment"`
}

// The parts of a [CatalogueLecture], as course packages have them.
type (
	CatalogueCaption    = coursepackage.Caption
	CatalogueAttachment = coursepackage.Attachment
	CatalogueAssignment = coursepackage.Assignment
)

// hasMaterial reports whether the lecture has what only lectures with a kind have.
func (l CatalogueLecture) hasMaterial() bool {
	return l.Kind != "" || l.Text != "" || l.File != "" || len(l.Captions) > 0 ||
		len(l.Attachments) > 0 || l.Assignment != nil
}

// ParseCatalogue parses and validates a [Catalogue]. The error has one line for each problem, with
// its place in the file, the course and the field. With an error the catalogue cannot be used.
func ParseCatalogue(data []byte) (Catalogue, error) {
	// Syntax errors end everything, because nothing after them can be read. readShape reports other
	// errors, with their places.
	var file struct{ People, Courses []json.RawMessage }
	if failed, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(data, &file)); ok {
		at := positionOf(data, int(failed.Offset)-1) // Offset is after the wrong byte
		return Catalogue{}, fmt.Errorf("%vthe file is not a catalogue in JSON: %w", at, failed)
	}
	s, err := readShape(data, reflect.TypeFor[catalogueFile]())
	if err != nil {
		return Catalogue{}, fmt.Errorf("the file is not a catalogue in JSON: %w", err)
	}
	// Collect the problems of the file itself, then those of each user and course, so that one run
	// shows all of them. errors.Join drops the nil ones.
	var found Catalogue
	var wrong []error
	for _, f := range s.faults {
		isOfFile := !strings.Contains(f.path, "[") // people[0] and courses[0] report their own
		if isOfFile {
			text := strings.TrimPrefix(f.path+" "+f.text, " ") // the file as a whole has no path
			wrong = append(wrong, fmt.Errorf("%vthe file is not a catalogue: %s", f.at, text))
		}
	}
	for i, raw := range file.People {
		p, err := parsePerson(s, i, raw)
		found.People, wrong = append(found.People, p), append(wrong, err)
	}
	seen := map[string]bool{}
	for i, raw := range file.Courses {
		c, err := parseCourse(s, i, raw, seen)
		found.Courses, wrong = append(found.Courses, c), append(wrong, err)
	}
	return found, errors.Join(wrong...)
}

// parsePerson parses raw, the person with the index i, and checks it.
func parsePerson(s *shape, i int, raw json.RawMessage) (CataloguePerson, error) {
	path, name := fmt.Sprintf("people[%d]", i), fmt.Sprintf("person %d", i+1)
	p := CataloguePerson{at: s.at(path)}
	if err := s.decode(path, name, raw, &p); err != nil {
		return p, err
	}
	return p, p.check(name)
}

// parseCourse parses raw, the course with the index i, and checks it. seen has the ids of the
// courses before it, and gets its id, unless a value has a wrong type.
func parseCourse(s *shape, i int, raw json.RawMessage, seen map[string]bool) (
	CatalogueCourse, error,
) {
	// Name the course in errors by its number, and by its id if that can be read.
	var named struct {
		ID string `json:"_id"`
	}
	_ = json.Unmarshal(raw, &named) // on failure the name is the number alone
	path, name := fmt.Sprintf("courses[%d]", i), CatalogueCourse{ID: named.ID}.named(i)
	// Report wrong types first, because the rules cannot be checked without the values.
	c := CatalogueCourse{at: s.at(path)}
	if err := s.decode(path, name, raw, &c); err != nil {
		return c, err
	}
	var wrong []error
	for _, f := range c.check(seen, "") { // which platform imports the file is not known here
		wrong = append(wrong,
			fmt.Errorf("%v%s: %s %s", s.at(path+"."+f.field), name, f.field, f.text))
	}
	return c, errors.Join(wrong...)
}

// decode decodes raw, the value with a path, into v. In errors the value is called name. If its
// shape has faults, decode leaves v as it is, and the error has a line for each of them.
func (s *shape) decode(path, name string, raw json.RawMessage, v any) error {
	var wrong []error
	for _, f := range s.faultsOf(path) {
		// The field and the fault, such as "isPublished must be true or false". For a fault of the
		// value itself there is no field.
		field := strings.TrimPrefix(strings.TrimPrefix(f.path, path)+" "+f.text, ".")
		wrong = append(wrong, fmt.Errorf("%v%s: %s", f.at, name, strings.TrimPrefix(field, " ")))
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	if err := json.Unmarshal(raw, v); err != nil { // such as a number that is too large
		return fmt.Errorf("%v%s: %w", s.at(path), name, err)
	}
	return nil
}

// newCourse converts the course to the platform's type, without the educator, the picture and the
// files. check has validated its numbers. A course is published unless the file says that it is
// not.
func (c CatalogueCourse) newCourse() catalog.NewCourse {
	price, _ := core.ParseHundredths(c.Price.String()) // no error: see check
	n := catalog.NewCourse{
		ID: c.ID, Title: c.Title, Description: c.Description,
		Price: price, Discount: c.discount(), Published: c.Published == nil || *c.Published,
		Metadata: c.Metadata,
	}
	for _, p := range c.Prices {
		amount, _ := core.ParseMoney(p.Price.String(), p.Currency) // no error: see check
		n.Prices = append(n.Prices, catalog.Price{Currency: p.Currency, Amount: amount})
	}
	// Copy the content.
	for _, ch := range c.Content {
		chapter := catalog.Chapter{ID: ch.ID, Order: ch.Order, Title: ch.Title}
		for _, l := range ch.Lectures {
			converted := catalog.Lecture{
				ID: l.ID, Order: l.Order, Title: l.Title, Minutes: l.Minutes, URL: l.URL,
				PreviewFree: l.PreviewFree, Kind: l.Kind}
			if l.hasMaterial() {
				converted.Text = &l.Text
			}
			if a := l.Assignment; a != nil {
				converted.Assignment = &catalog.Assignment{Instructions: a.Instructions,
					DueAfterDays: a.DueAfterDays, DueAt: a.DueAt, LateDays: a.LateDays,
					Attempts: a.Attempts, Files: a.Files}
				for _, c := range a.Rubric {
					converted.Assignment.Rubric = append(converted.Assignment.Rubric,
						catalog.Criterion(c))
				}
			}
			chapter.Lectures = append(chapter.Lectures, converted)
		}
		n.Content = append(n.Content, chapter)
	}
	return n
}

// discount returns the discount; 0 if it is missing or not a number.
func (c CatalogueCourse) discount() core.Percent {
	discount, _ := core.ParseHundredths(c.Discount.String())
	return discount
}
