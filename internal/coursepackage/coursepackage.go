// Package coursepackage has the form of course.json, the description of a course in a course
// package (docs/packages.md). It knows no rule of a course: it is the JSON only.
package coursepackage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/safejson"
	"github.com/openlectern/openlectern/internal/safezip"
)

const (
	// Name is the entry of a package that has the description.
	Name = "course.json"
	// Format is the value of [Course.Format].
	Format = "openlectern-course"
	// Version is the version of the form that this package writes, and the latest that it reads.
	Version = 1
	// MaxSize is the size of the longest description, in bytes.
	MaxSize = 48 << 20

	// maxDepth is how deep the lists and objects of a description are nested at most.
	maxDepth = 20
)

// Course is the description of a course.
type Course struct {
	Format      string            `json:"format"`
	Version     int               `json:"version"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Price       Price             `json:"price"`
	Prices      []Price           `json:"prices,omitempty"`    // in other currencies
	Discount    int64             `json:"discount"`            // in hundredths of a percent
	Thumbnail   string            `json:"thumbnail,omitempty"` // the entry that has the image
	Terms       *Terms            `json:"terms,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"` // of the host
	Chapters    []Chapter         `json:"chapters"`
	Files       []File            `json:"files"`
}

// Terms are the terms of a course.
type Terms struct {
	Certificate CertificateTerms `json:"certificate"`
	Days        int              `json:"days,omitempty"` // that access lasts
	Until       time.Time        `json:"until,omitzero"` // that access lasts at most
	InOrder     bool             `json:"inOrder,omitempty"`
}

// Opening is when a chapter opens: days after the enrolment, or at a time.
type Opening struct {
	AfterDays int       `json:"afterDays,omitempty"`
	At        time.Time `json:"at,omitzero"`
}

// CertificateTerms say what a certificate of a course asks beside all lectures.
type CertificateTerms struct {
	Quizzes     bool `json:"quizzes,omitempty"`
	Assignments bool `json:"assignments,omitempty"`
}

// Price is an amount in the smallest unit of a currency.
type Price struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

// Chapter is a chapter with its lectures.
type Chapter struct {
	Title    string    `json:"title"`
	Order    int       `json:"order"`
	Lectures []Lecture `json:"lectures"`
	Opens    *Opening  `json:"opens,omitempty"`
	Quiz     *Quiz     `json:"quiz,omitempty"`
}

// Lecture is a lecture. The files that it names are those of [Course.Files].
type Lecture struct {
	Title       string       `json:"title"`
	Order       int          `json:"order"`
	Minutes     float64      `json:"minutes"`
	PreviewFree bool         `json:"isPreviewFree"`
	Kind        string       `json:"kind,omitempty"`
	URL         string       `json:"url,omitempty"`
	File        string       `json:"file,omitempty"`
	Captions    []Caption    `json:"captions,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	Text        string       `json:"text,omitempty"`
	Assignment  *Assignment  `json:"assignment,omitempty"`
}

// Assignment is what a lecture of the kind assignment asks.
type Assignment struct {
	Instructions string      `json:"instructions"`
	Rubric       []Criterion `json:"rubric"`
	DueAfterDays *int        `json:"dueAfterDays,omitempty"`
	DueAt        time.Time   `json:"dueAt,omitzero"`
	LateDays     int         `json:"lateDays,omitempty"`
	Attempts     int         `json:"attempts,omitempty"`
	Files        bool        `json:"files"`
}

// Criterion is a line of a rubric.
type Criterion struct {
	Text   string `json:"criterion"`
	Points int    `json:"points"`
}

// Caption is a file with the subtitles in a language.
type Caption struct {
	Language string `json:"language"`
	Label    string `json:"label"`
	File     string `json:"file"`
}

// Attachment is a file that belongs to a lecture.
type Attachment struct {
	Title string `json:"title"`
	File  string `json:"file"`
}

// Quiz is the quiz of a chapter.
type Quiz struct {
	Questions []Question `json:"questions"`
	// Settings are those of a quiz that is written by hand. One that the AI writes has none.
	Settings *Settings `json:"settings,omitempty"`
}

// Settings say how a quiz is taken.
type Settings struct {
	Draw        int    `json:"draw,omitempty"`
	Shuffle     bool   `json:"shuffle,omitempty"`
	Minutes     int    `json:"minutes,omitempty"`
	Attempts    int    `json:"attempts,omitempty"`
	PassPercent int    `json:"passPercent"`
	Review      string `json:"review"`
}

// Question is a question with its solution. One of the AI has CorrectIndex, and one that is written
// by hand Kind, Answer and Points.
type Question struct {
	Kind         string   `json:"kind,omitempty"`
	Question     string   `json:"question"`
	Options      []string `json:"options,omitempty"`
	CorrectIndex *int     `json:"correctIndex,omitempty"`
	// Answer is, by the kind, the index of an option, a list of them, a boolean, a number or a list
	// of texts. Numbers are of type float64, and lists of type []any.
	Answer      any     `json:"answer,omitempty"`
	Tolerance   float64 `json:"tolerance,omitempty"`
	Points      int     `json:"points,omitempty"`
	Explanation string  `json:"explanation"`
}

// File is a file of the package.
type File struct {
	Path string `json:"path"` // of the entry
	Name string `json:"name"` // under which a browser saves it
}

// Skipped is a part of a package that is not imported.
type Skipped struct{ What, Why string }

// Encode returns the JSON of a course. The same course has the same JSON. It sets Format and
// Version.
func Encode(c Course) ([]byte, error) {
	c.Format, c.Version = Format, Version
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // the text is not HTML, and escapes take more space
	e.SetIndent("", "  ")
	if err := e.Encode(c); err != nil {
		return nil, fmt.Errorf("encode a course: %w", err)
	}
	return out.Bytes(), nil
}

// Read reads the description of a package, whose lists are within limits (paths are those of
// [safejson.List]). It takes what it needs from the budget. A refusal is a [*safezip.Error]. It
// does not check what the fields contain.
func Read(b *budget.Budget, a *safezip.Archive, lists []safejson.List) (Course, error) {
	entry := a.File(Name)
	if entry == nil {
		return Course{}, &safezip.Error{Reason: "it has no course.json at its top: make the zip " +
			"of the files, without a folder around them"}
	}
	data, err := entry.ReadText(b, MaxSize)
	if errors.Is(err, budget.ErrSpent) {
		return Course{}, &safezip.Error{Reason: "its course.json is too long: split the course"}
	}
	if err != nil {
		return Course{}, err
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))

	// Count before anything is built: many small values take far more memory than their text.
	err = safejson.Check(b, data, safejson.Limits{Depth: maxDepth, Lists: lists})
	if refused, isRefused := errors.AsType[*safejson.Error](err); isRefused {
		return Course{}, &safezip.Error{Reason: "its course.json " + refused.Reason}
	}
	if err != nil {
		return Course{}, err
	}

	// Look at the version first, because a later one may have other fields.
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Course{}, invalid(err)
	}
	switch {
	case head.Format != Format || head.Version < 1:
		return Course{}, &safezip.Error{Reason: fmt.Sprintf("its course.json has not the format %q "+
			"and a version: export the course anew", Format)}
	case head.Version > Version:
		return Course{}, &safezip.Error{Reason: fmt.Sprintf("it has version %d of the format, and "+
			"this platform reads versions up to %d: update the platform, or export the course from "+
			"an earlier one", head.Version, Version)}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields() // what is not understood would be lost
	var c Course
	if err := d.Decode(&c); err != nil {
		return Course{}, invalid(err)
	}
	return c, nil
}

// invalid returns the refusal of JSON that could not be decoded.
func invalid(err error) error {
	return &safezip.Error{Reason: "its course.json is not valid (" + safejson.SyntaxReason(err) +
		"): correct it as docs/packages.md describes it"}
}
