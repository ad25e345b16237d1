package cartridge

import (
	"math"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/safezip"
)

// What an assignment may have, as in package learning.
const (
	maxCriteria  = 50
	maxPoints    = 1_000
	maxAttempts  = 1_000
	maxLateDays  = 3_650
	maxDue       = 50 * 365 * 24 * time.Hour // from now
	day          = 24 * time.Hour
	lostOfPoints = "a criterion has 1 to 1000 whole points here, and a rubric at most 50 criteria: " +
		"the others were rounded or left out"
)

// work is what the cartridge says of an assignment, in the names of Canvas.
type work struct {
	Title    string `xml:"title"`
	Points   string `xml:"points_possible"`
	Grading  string `xml:"grading_type"`
	Due      string `xml:"due_at"`
	Lock     string `xml:"lock_at"`
	Types    string `xml:"submission_types"`
	Attempts string `xml:"allowed_attempts"`
	State    string `xml:"workflow_state"`
	Rubric   string `xml:"rubric_identifierref"`
}

// document is an assignment of Common Cartridge 1.3, which may have a part of Canvas.
type document struct {
	Title       string `xml:"title"`
	Text        string `xml:"text"`
	Attachments []struct {
		Href string `xml:"href,attr"`
	} `xml:"attachments>attachment"`
	Gradable struct {
		Points string `xml:"points_possible,attr"`
	} `xml:"gradable"`
	Formats []struct {
		Type string `xml:"type,attr"`
	} `xml:"submission_formats>format"`
	Canvas work `xml:"extensions>assignment"`
}

// assignment returns the lecture of an assignment, or why it is skipped: that of Canvas, which is a
// page with settings beside it, or a document of Common Cartridge 1.3.
func (c *cartridge) assignment(
	l coursepackage.Lecture, res resource, file *safezip.File,
) (_ coursepackage.Lecture, why string, err error) {
	var w work
	if settings := c.fileNamed(res, settingsOfWork); settings != nil {
		if err := c.decodeXML(settings, &w); err != nil {
			return l, "", err
		}
		l.Title = orTitle(l.Title, w.Title)
		if isPage(file.Name) {
			if l, why, err = c.page(l, file); err != nil || why != "" {
				return l, why, err
			}
		}
	} else {
		var d document
		if err := c.decodeXML(file, &d); err != nil {
			return l, "", err
		}
		l.Title = orTitle(l.Title, d.Title)
		if l, why, err = c.pageText(l, file.Name, []byte(d.Text)); err != nil || why != "" {
			return l, why, err
		}
		for _, a := range d.Attachments {
			c.attach(&l, c.resolve(path.Dir(file.Name), a.Href), "")
		}
		w = d.Canvas
		if w.Points == "" {
			w.Points = d.Gradable.Points
		}
		for _, f := range d.Formats {
			if f.Type == "file" {
				w.Types += ",online_upload"
			}
		}
	}
	if strings.Contains(w.Types, "external_tool") {
		return l, "it is done in an external tool, and these are not imported", nil
	}
	l.Title = orTitle(l.Title, path.Base(file.Name))
	l.Kind, l.Assignment = "assignment", c.described(w, l.Title)
	if w.State == "unpublished" {
		c.canvas.unpublished[res.id] = true
	}

	// The text is the instructions, or stays a text of the lecture if it is too long for them.
	switch {
	case l.Text == "":
		c.skip("the instructions of the assignment "+named(l.Title), "they have no text")
	case utf8.RuneCountInString(l.Text) <= c.MaxInstructions:
		l.Assignment.Instructions, l.Text = l.Text, ""
	}
	return l, "", nil
}

// orTitle returns the title, or another one if it is empty.
func orTitle(title, other string) string {
	if title != "" {
		return title
	}
	return text(other, maxTitle)
}

// described returns what an assignment asks, without its instructions.
func (c *cartridge) described(w work, title string) *coursepackage.Assignment {
	a := &coursepackage.Assignment{Rubric: []coursepackage.Criterion{},
		Files: strings.Contains(w.Types, "online_upload")}
	if n, err := strconv.Atoi(strings.TrimSpace(w.Attempts)); err == nil && n > 0 {
		a.Attempts = min(n, maxAttempts)
	}

	// Points are those of the rubric, or else one criterion.
	isRounded := false
	add := func(name, points string) {
		p, err := strconv.ParseFloat(strings.TrimSpace(points), 64)
		if err != nil || !(p > 0) { // also if it is no number
			return
		}
		whole := min(max(math.Round(p), 1), maxPoints)
		if isRounded = isRounded || whole != p; len(a.Rubric) == maxCriteria {
			isRounded = true
			return
		}
		a.Rubric = append(a.Rubric, coursepackage.Criterion{Text: name, Points: int(whole)})
	}
	for _, criterion := range c.canvas.rubrics[w.Rubric].Criteria {
		add(orTitle(text(criterion.Text, maxTitle), title), criterion.Points)
	}
	if len(a.Rubric) == 0 && w.Grading != "not_graded" {
		add(title, w.Points)
	}
	if isRounded {
		c.skip("points of the assignment "+named(title), lostOfPoints)
	}

	// A due date of an earlier term means nothing to new students.
	due, lock := timeOf(w.Due), timeOf(w.Lock)
	if due.After(c.Now) && due.Sub(c.Now) < maxDue {
		a.DueAt, a.LateDays = due, maxLateDays
		if !lock.IsZero() {
			days := math.Ceil(float64(lock.Sub(due)) / float64(day))
			a.LateDays = int(min(max(days, 0), maxLateDays))
		}
	}
	return a
}

// timeOf returns a time, which is in UTC if it has no zone; zero for a text that is none.
func timeOf(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
