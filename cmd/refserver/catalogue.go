package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/openlectern/openlectern/learning"
)

// catalogue is a file of courses, as `refserver import` takes it:
//
//	{
//	  "people": [{"_id": "user_1", "firstName": "Ada", "lastName": "Byron", "email": "ada@example.com", "imageUrl": ""}],
//	  "courses": [{
//	    "_id": "engines", "educatorId": "user_1", "courseThumbnail": "pictures/engines.jpg",
//	    "courseTitle": "Engines", "courseDescription": "…", "coursePrice": 19.99, "discount": 15, "isPublished": true,
//	    "courseContent": [{"chapterId": "1", "chapterTitle": "Wheels", "chapterContent": [
//	      {"lectureId": "1-1", "lectureTitle": "Brass", "lectureDuration": 12.5, "lectureUrl": "https://…", "isPreviewFree": true}]}]
//	  }]
//	}
//
// A course has the fields of courseData of POST /api/educator/add-course, and these:
// _id (letters, digits, "-" and "_", at most 40), which identifies the course when the
// file is imported again; educatorId, the id of its educator at the identity provider;
// and optionally courseThumbnail, the path of a JPEG, PNG or WebP relative to the file.
// Without it the course gets a default picture. Chapter and lecture ids, discount (0)
// and isPublished (true) are optional.
//
// people is needed for educators whose event has not come from the identity provider.
// A later event replaces the data in the file.
type catalogue struct {
	People  []person
	Courses []course
}

type person struct {
	ID        string `json:"_id"`
	FirstName string `json:"firstName"`
	LastName  string `json:"lastName"`
	Email     string `json:"email"`
	ImageURL  string `json:"imageUrl"`
}

func (p person) name() string { return strings.TrimSpace(p.FirstName + " " + p.LastName) }

type course struct {
	ID          string      `json:"_id"`
	Educator    string      `json:"educatorId"`
	Thumbnail   string      `json:"courseThumbnail"`
	Title       string      `json:"courseTitle"`
	Description string      `json:"courseDescription"`
	Price       json.Number `json:"coursePrice"`
	Discount    json.Number `json:"discount"`
	Published   *bool       `json:"isPublished"`
	Content     []chapter   `json:"courseContent"`
}

type chapter struct {
	ID       string    `json:"chapterId"`
	Order    int       `json:"chapterOrder"`
	Title    string    `json:"chapterTitle"`
	Lectures []lecture `json:"chapterContent"`
}

type lecture struct {
	ID          string  `json:"lectureId"`
	Order       int     `json:"lectureOrder"`
	Title       string  `json:"lectureTitle"`
	Minutes     float64 `json:"lectureDuration"`
	URL         string  `json:"lectureUrl"`
	PreviewFree bool    `json:"isPreviewFree"`
}

// parseCatalogue parses and validates a file. The error has one line for each problem,
// with the course and the field.
func parseCatalogue(data []byte) (catalogue, error) {
	var file struct {
		People  []person          `json:"people"`
		Courses []json.RawMessage `json:"courses"`
	}
	if err := decodeStrict(data, &file); err != nil {
		return catalogue{}, fmt.Errorf("the file is not a catalogue: %w", err)
	}
	found := catalogue{People: file.People}
	var wrong []error
	for i, p := range file.People {
		if p.ID == "" || p.name() == "" {
			wrong = append(wrong, fmt.Errorf("person %d: _id and a name are required", i+1))
		}
	}
	seen := map[string]bool{}
	for i, raw := range file.Courses {
		var c course
		err := decodeStrict(raw, &c)
		if err == nil {
			err = c.check(seen)
		}
		if err != nil {
			wrong = append(wrong, courseError(i, raw, err))
		}
		found.Courses = append(found.Courses, c)
	}
	return found, errors.Join(wrong...)
}

// decodeStrict decodes one JSON value. It rejects unknown fields, because a misspelt field
// would be ignored silently.
func decodeStrict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is data after its end")
	}
	return nil
}

// courseError prefixes each line of err with the number of the course and, if it can be
// read, its id.
func courseError(i int, raw json.RawMessage, err error) error {
	var named struct {
		ID string `json:"_id"`
	}
	_ = json.Unmarshal(raw, &named) // the number identifies the course too
	name := fmt.Sprintf("course %d", i+1)
	if named.ID != "" {
		name += fmt.Sprintf(" (%s)", named.ID)
	}
	lines := strings.Split(err.Error(), "\n")
	return errors.New(name + ": " + strings.Join(lines, "\n"+name+": "))
}

// newCourse converts the course to the platform's type; check has validated its numbers.
func (c course) newCourse() learning.NewCourse {
	price, _ := learning.ParseHundredths(c.Price.String())
	n := learning.NewCourse{
		ID: c.ID, Title: c.Title, Description: c.Description,
		Price: price, Discount: c.discount(), Published: c.Published == nil || *c.Published,
	}
	for _, ch := range c.Content {
		chapter := learning.Chapter{ID: ch.ID, Order: ch.Order, Title: ch.Title}
		for _, l := range ch.Lectures {
			chapter.Lectures = append(chapter.Lectures, learning.Lecture{
				ID: l.ID, Order: l.Order, Title: l.Title, Minutes: l.Minutes, URL: l.URL, PreviewFree: l.PreviewFree})
		}
		n.Content = append(n.Content, chapter)
	}
	return n
}

// discount returns the discount; 0 if it is missing or not a number.
func (c course) discount() learning.Percent {
	discount, _ := learning.ParseHundredths(c.Discount.String())
	return discount
}
