package main

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/openlectern/openlectern/learning"
)

// The platform has the last word on a course and says only that it is wrong. Here
// it is said what is wrong, with the platform's own limits, for those who write
// such files by hand.

// faults collects what is wrong with a course.
type faults []error

func (f *faults) say(field, format string, args ...any) {
	*f = append(*f, fmt.Errorf("%s %s", field, fmt.Sprintf(format, args...)))
}

func (f *faults) text(field, s string, atMost int) {
	if n := utf8.RuneCountInString(s); strings.TrimSpace(s) == "" || n > atMost {
		f.say(field, "has %d characters; it must have 1 to %d", n, atMost)
	}
}

// courseID keeps ids usable in the path of an address.
var courseID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// check returns one error for everything that is wrong with a course.
func (c course) check(seen map[string]bool) error {
	var f faults
	switch {
	case !courseID.MatchString(c.ID) || c.ID == "all": // which is the address of the list
		f.say("_id", `is %q; it must be 1 to 40 letters, digits, "-" or "_", and not "all"`, c.ID)
	case seen[c.ID]:
		f.say("_id", "is that of an earlier course")
	}
	seen[c.ID] = true
	if c.Educator == "" {
		f.say("educatorId", "is missing")
	}
	f.text("courseTitle", c.Title, learning.MaxCourseTitle)
	if utf8.RuneCountInString(c.Description) > learning.MaxCourseDescription {
		f.say("courseDescription", "is longer than %d characters", learning.MaxCourseDescription)
	}
	c.checkPrice(&f)
	c.checkContent(&f)
	return errors.Join(f...)
}

func (c course) checkPrice(f *faults) {
	price, err := learning.ParseHundredths(c.Price.String())
	if err != nil || price < 0 || price > learning.MaxCoursePrice {
		f.say("coursePrice", "must be a number from 0 to %v with at most two decimals", learning.MaxCoursePrice)
		return
	}
	discount, err := learning.ParseHundredths(c.Discount.String())
	if c.Discount != "" && (err != nil || discount < 0 || discount > 100_00) {
		f.say("discount", "must be a number from 0 to 100 with at most two decimals")
		return
	}
	final := learning.Course{Price: price, Discount: c.discount()}.FinalPrice()
	if final > 0 && final < learning.MinCoursePrice {
		f.say("coursePrice", "is %v after the discount; it must be 0 or at least %v", final, learning.MinCoursePrice)
	}
}

func (c course) checkContent(f *faults) {
	chapters, lectures, n := map[string]bool{}, map[string]bool{}, 0
	for i, ch := range c.Content {
		at := fmt.Sprintf("courseContent[%d].", i)
		f.text(at+"chapterTitle", ch.Title, learning.MaxCourseTitle)
		f.id(at+"chapterId", ch.ID, chapters)
		for j, l := range ch.Lectures {
			l.check(f, fmt.Sprintf("%schapterContent[%d].", at, j), lectures)
			n++
		}
	}
	if n < 1 || n > learning.MaxLectures {
		f.say("courseContent", "has %d lectures; it must have 1 to %d", n, learning.MaxLectures)
	}
}

func (l lecture) check(f *faults, at string, seen map[string]bool) {
	f.text(at+"lectureTitle", l.Title, learning.MaxCourseTitle)
	f.id(at+"lectureId", l.ID, seen)
	if !(l.Minutes >= 0 && l.Minutes <= learning.MaxLectureMinutes) {
		f.say(at+"lectureDuration", "is %v; it must be minutes, from 0 to %d", l.Minutes, learning.MaxLectureMinutes)
	}
	u, err := url.Parse(l.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || utf8.RuneCountInString(l.URL) > learning.MaxLectureURL {
		f.say(at+"lectureUrl", "must be an http or https URL of at most %d characters", learning.MaxLectureURL)
	}
}

// id checks an id that may be left out and must not be there twice.
func (f *faults) id(field, id string, seen map[string]bool) {
	switch {
	case id == "":
	case seen[id]:
		f.say(field, "%q is there twice", id)
	case utf8.RuneCountInString(id) > learning.MaxContentID:
		f.say(field, "is longer than %d characters", learning.MaxContentID)
	case !learning.IsPathSegment(id):
		f.say(field, `is %q; it must not be "." or "..", and must have no slash, no control character and no invalid UTF-8`, id)
	}
	seen[id] = true
}
