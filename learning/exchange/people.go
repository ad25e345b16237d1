package exchange

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// People is a file of people and of what they did in another system, which [ParsePeople] reads and
// [System.ImportPeople] imports. Its rows are JSON lines, or CSV with the same names as columns:
//
//	{"kind": "user", "id": "user_1", "name": "Ada Byron", "email": "ada@example.com",
//	   "imageUrl": "", "createdAt": "2024-03-01T09:30:00Z"}
//	{"kind": "sale", "userId": "user_1", "courseId": "engines", "amount": 19.99, "currency": "INR",
//	   "reference": "4711", "source": "import", …}
//	{"kind": "enrollment", "userId": "user_1", "courseId": "engines", "createdAt": "2024-03-02"}
//	{"kind": "progress", "userId": "user_1", "courseId": "engines", "lectureId": "1-1", …}
//	{"kind": "progress", "email": "ada@example.com", "courseId": "engines", "percent": 40, …}
//	{"kind": "result", "userId": "user_1", "courseId": "engines", "chapterId": "1", "score": 8,
//	   "total": 10, "passed": true, …}
//	{"kind": "rating", "userId": "user_1", "courseId": "engines", "rating": 5, "review": "…", …}
//	{"kind": "certificate", "userId": "user_1", "courseId": "engines", "certificateId": "A-17", …}
//
// id is that of the identity provider. A user may have firstName and lastName in place of name. The
// other rows name the person by userId, or by email if exactly one user has that address. percent
// completes the first lectures of the course. passed is optional: without it half of the points
// pass. A sale enrols its buyer, and is one that was made elsewhere: see [sale.SaleElsewhere]; its
// source is "import" if the row has none. A certificate keeps its old number as certificateId: 1 to
// 100 letters, digits, ".", "_" and "-". createdAt is when it happened: RFC 3339, a day,
// "2024-03-01 09:30:00" in UTC, or the seconds of Unix; only a user may have none. A field that is
// empty counts as missing.
type People struct {
	Rows []PeopleRow
	// Faults are the rows that cannot be imported, which Rows leaves out.
	Faults []PeopleFault
}

// PeopleKind is what a row of [People] has.
type PeopleKind string

// The kinds of rows, in the order in which they are imported.
const (
	PersonUser        PeopleKind = "user"
	PersonSale        PeopleKind = "sale"
	PersonEnrollment  PeopleKind = "enrollment"
	PersonProgress    PeopleKind = "progress"
	PersonResult      PeopleKind = "result"
	PersonCertificate PeopleKind = "certificate"
	PersonRating      PeopleKind = "rating"
)

// PeopleKinds lists all kinds in the order in which they are imported.
var PeopleKinds = []PeopleKind{PersonUser, PersonSale, PersonEnrollment, PersonProgress,
	PersonResult, PersonCertificate, PersonRating}

// PeopleRow is a row of [People]. A field that its kind does not have is zero.
type PeopleRow struct {
	Kind   PeopleKind
	UserID string // of a user, too; "" to name the person by Email
	Email  string
	At     time.Time // when it happened; zero for now, of a user only

	Name     string // of a user, as ImageURL
	ImageURL string

	CourseID  string
	LectureID string // of progress; "" for Percent of the lectures
	Percent   int    // from 0 to 100

	ChapterID string // of a result, as Score, Total and Passed
	Score     int
	Total     int
	Passed    bool

	CertificateID string

	ExpiresAt time.Time // of an enrolment: when access ends; zero for no end

	Amount    string // of a sale, in the major unit of Currency; also Source and Reference
	Currency  string
	Source    string
	Reference string

	Stars  int // of a rating, as Review
	Review string

	places map[string]position // of the fields in the file, and of the row as ""; nil without one
}

// PeopleFault is why a row cannot be imported.
type PeopleFault struct {
	Line, Column int    // in the file, from 1; 0 without one
	Field        string // "" if it is the row as a whole
	Reason       string
}

// Error returns the place, the field and the reason in one line.
func (f PeopleFault) Error() string {
	text := f.Reason
	if f.Field != "" {
		text = f.Field + " " + text
	}
	return position{f.Line, f.Column}.String() + text
}

// fault returns a fault of a field of the row.
func (r PeopleRow) fault(field, reason string) PeopleFault {
	at, isKnown := r.places[field]
	if !isKnown {
		at = r.places[""]
	}
	return PeopleFault{Line: at.line, Column: at.column, Field: field, Reason: reason}
}

// PeopleFormat says how [ParsePeople] reads a file that was made by another system. The zero value
// is the format of [People].
type PeopleFormat struct {
	// Columns gives the names of fields in the file, by the names that they have in [People]. If it
	// is not empty, the file may have other fields, which are ignored.
	Columns map[string]string
	// Set gives the values of fields that the file does not have, such as "kind" or "courseId".
	Set map[string]string
}

// check returns an error unless all fields of the format exist.
func (f PeopleFormat) check() error {
	for _, names := range []map[string]string{f.Columns, f.Set} {
		for name := range names {
			if !isFieldOfPeople(name) {
				return fmt.Errorf("there is no field %q; the fields are %s", name, namesOfPeople())
			}
		}
	}
	return nil
}

// ParsePeople reads a file of people, in JSON lines if it begins with "{", else in CSV, whose cells
// may be separated by commas, semicolons or tabs. Rows that do not have the form of [People] are
// its faults. The error is one of reading the file, or of its first line.
func ParsePeople(file io.Reader, format PeopleFormat) (People, error) {
	if err := format.check(); err != nil {
		return People{}, err
	}
	rows, err := peopleRows(file, format)
	if err != nil {
		return People{}, fmt.Errorf("read the file of people: %w", err)
	}
	var found People
	for {
		cells, err := rows.next()
		if err == io.EOF {
			return found, nil
		}
		var row PeopleRow
		if err == nil {
			row, err = format.row(cells)
		}
		fault, isFault := errors.AsType[PeopleFault](err)
		switch {
		case isFault:
			found.Faults = append(found.Faults, fault)
		case err != nil:
			return People{}, fmt.Errorf("read the file of people: %w", err)
		default:
			found.Rows = append(found.Rows, row)
		}
	}
}

// cell is a field of a row in a file.
type cell struct {
	name string // as [People] calls the field
	text string
	at   position
}

// row makes a row of cells. The error is a [PeopleFault].
func (f PeopleFormat) row(cells []cell) (row PeopleRow, err error) {
	// Collect the values. An empty one counts as missing.
	row.places = map[string]position{}
	texts := map[string]string{}
	maps.Copy(texts, f.Set)
	for _, c := range cells {
		if text := strings.TrimSpace(c.text); text != "" {
			texts[c.name], row.places[c.name] = text, c.at
		}
		row.places[""] = position{c.at.line, 1} // of the row
	}
	for name := range f.Set {
		if _, isThere := row.places[name]; !isThere {
			row.places[name] = row.places[""]
		}
	}

	// Read the fields of the kind. Another field is a column for other kinds, or a value that is
	// set for all rows: it does no harm.
	kind := PeopleKind(texts["kind"])
	for _, field := range peopleFields {
		text := texts[field.name]
		if text == "" || kind != "" && !slices.Contains(field.kinds, kind) {
			continue
		}
		if reason := field.read(&row, text); reason != "" {
			return row, row.fault(field.name, reason)
		}
	}
	if field, reason := row.check(); reason != "" {
		return row, row.fault(field, reason)
	}
	return row, nil
}
