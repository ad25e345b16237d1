package exchange

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// check returns an error with a line for each invalid value. One that [ParseCatalogue] has returned
// has none; this is for those that a host has made. A line has the number of the person or course,
// or also the place in the file, if there is one. currency is that of the platform.
func (c Catalogue) check(currency string) error {
	var wrong []error
	for i, p := range c.People {
		wrong = append(wrong, p.check(fmt.Sprintf("person %d", i+1)))
	}
	seen := map[string]bool{}
	for i, course := range c.Courses {
		for _, f := range course.check(seen, currency) {
			wrong = append(wrong, fmt.Errorf("%v%s: %s %s", course.at, course.named(i), f.field,
				f.text))
		}
	}
	return errors.Join(wrong...)
}

// check returns an error that calls the person name, if the person has no id or no name.
func (p CataloguePerson) check(name string) error {
	if p.ID == "" || p.name() == "" {
		return fmt.Errorf("%v%s: _id and a name are required", p.at, name)
	}
	return nil
}

// named returns what errors call the course with the index i: its number, and its id if it has one.
func (c CatalogueCourse) named(i int) string {
	name := fmt.Sprintf("course %d", i+1)
	if c.ID != "" {
		name += fmt.Sprintf(" (%s)", c.ID)
	}
	return name
}

// courseErrors collects the problems of a course in a catalogue file. The platform checks
// a course too, but reports only that it is invalid. The checks here use the platform's
// limits and name each field, because such files are written by hand.
type courseErrors []fieldError

// fieldError is a problem of a field, which is named by its path from the course.
type fieldError struct{ field, text string }

// add adds a problem of a field.
func (f *courseErrors) add(field, format string, args ...any) {
	*f = append(*f, fieldError{field, fmt.Sprintf(format, args...)})
}

// text checks a required text of at most so many characters. White space alone counts as missing.
func (f *courseErrors) text(field, s string, atMost int) {
	switch n := utf8.RuneCountInString(s); {
	case n > 0 && strings.TrimSpace(s) == "":
		f.add(field, "is blank; it must have a text of 1 to %d characters", atMost)
	case n == 0 || n > atMost:
		f.add(field, "has %d characters; it must have 1 to %d", n, atMost)
	}
}

// courseID matches the ids that can be used in the path of a URL.
var courseID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// check returns all problems of a course. seen has the ids of the courses before it, and gets its
// id. currency is that of the platform, or "" if it is not known.
func (c CatalogueCourse) check(seen map[string]bool, currency string) (f courseErrors) {
	// The id must be new and fit into a path.
	switch {
	case !courseID.MatchString(c.ID) || c.ID == "all": // because /api/course/all is the list
		f.add("_id", `is %q; it must be 1 to 40 letters, digits, "-" or "_", and not "all"`, c.ID)
	case seen[c.ID]:
		f.add("_id", "is the same as that of an earlier course")
	}
	seen[c.ID] = true
	if c.Educator == "" {
		f.add("educatorId", "is missing")
	}
	// The texts, and then the price and the content, have the limits of the API.
	f.text("courseTitle", c.Title, catalog.MaxCourseTitle)
	if utf8.RuneCountInString(c.Description) > catalog.MaxCourseDescription {
		f.add("courseDescription", "is longer than %d characters", catalog.MaxCourseDescription)
	}
	if c.Metadata.Check() != nil {
		f.add("metadata", "must have at most %d keys of 1 to %d letters a-z, digits or _, with texts "+
			"of at most %d characters, together at most %d", core.MaxMetadataKeys, core.MaxMetadataKey,
			core.MaxMetadataValue, core.MaxMetadata)
	}
	c.checkPrice(&f)
	c.checkPrices(&f, currency)
	c.checkContent(&f)
	return f
}

// checkPrice adds at most one problem of the price and the discount.
func (c CatalogueCourse) checkPrice(f *courseErrors) {
	price, err := core.ParseHundredths(c.Price.String())
	if err != nil || price < 0 || price > catalog.MaxCoursePrice {
		f.add("coursePrice", "must be a number from 0 to %v with at most two decimals",
			catalog.MaxCoursePrice)
		return
	}
	// The discount is optional, and a percentage of the price.
	discount, err := core.ParseHundredths(c.Discount.String())
	const all = 100_00 // percent, in hundredths
	if c.Discount != "" && (err != nil || discount < 0 || discount > all) {
		f.add("discount", "must be a number from 0 to 100 with at most two decimals")
		return
	}
	// The gateway refuses amounts below the smallest price. Free courses do not reach it.
	final := catalog.Course{Price: price, Discount: c.discount()}.FinalPrice()
	if final > 0 && final < catalog.MinCoursePrice {
		f.add("coursePrice", "is %v after the discount; it must be 0 or at least %v", final,
			catalog.MinCoursePrice)
	}
}

// checkPrices adds the problems of the prices in other currencies than that of the platform. It
// does not check whether they can be paid.
func (c CatalogueCourse) checkPrices(f *courseErrors, platform string) {
	seen := map[string]bool{platform: true}
	for i, p := range c.Prices {
		field := fmt.Sprintf("prices[%d]", i)
		decimals, isSupported := core.Decimals(p.Currency)
		if !isSupported {
			f.add(field+".currency", "is %q; it must be a currency of ISO 4217, such as EUR",
				p.Currency)
			continue
		}
		if seen[p.Currency] {
			f.add(field+".currency", "is %s, which the course has a price in already", p.Currency)
		}
		seen[p.Currency] = true
		amount, err := core.ParseMoney(p.Price.String(), p.Currency)
		if err != nil || amount <= 0 || amount > catalog.MaxPriceIn(p.Currency) {
			f.add(field+".price", "must be a number above 0 and up to %s with at most %d decimals",
				core.FormatMoney(catalog.MaxPriceIn(p.Currency), p.Currency), decimals)
		}
	}
}

// checkContent adds the problems of the chapters and lectures. The ids of each kind must be unique
// in the course.
func (c CatalogueCourse) checkContent(f *courseErrors) {
	chapters := map[string]bool{} // the ids of those before
	lectures := map[string]bool{}
	lectureCount := 0
	for i, ch := range c.Content {
		at := fmt.Sprintf("courseContent[%d].", i)
		f.text(at+"chapterTitle", ch.Title, catalog.MaxCourseTitle)
		f.id(at+"chapterId", ch.ID, chapters)
		for j, l := range ch.Lectures {
			l.check(f, fmt.Sprintf("%schapterContent[%d].", at, j), lectures)
			lectureCount++
		}
	}
	if lectureCount < 1 || lectureCount > catalog.MaxLectures {
		f.add("courseContent", "has %d lectures; it must have 1 to %d", lectureCount,
			catalog.MaxLectures)
	}
}

// check adds the problems of a lecture. at is its path, with the dot before a field, and seen has
// the ids of the course's lectures before it.
func (l CatalogueLecture) check(f *courseErrors, at string, seen map[string]bool) {
	f.text(at+"lectureTitle", l.Title, catalog.MaxCourseTitle)
	f.id(at+"lectureId", l.ID, seen)
	isInRange := l.Minutes >= 0 && l.Minutes <= catalog.MaxLectureMinutes
	if !isInRange {
		f.add(at+"lectureDuration", "is %v; it must be minutes, from 0 to %d", l.Minutes,
			catalog.MaxLectureMinutes)
	}
	if l.Kind != "" && !slices.Contains(catalog.LectureKinds, l.Kind) {
		f.add(at+"kind", "is %q; it must be one of %v", l.Kind, catalog.LectureKinds)
	}
	if utf8.RuneCountInString(l.Text) > catalog.MaxLectureText {
		f.add(at+"text", "is longer than %d characters", catalog.MaxLectureText)
	}
	isAssignment := l.Kind == catalog.KindAssignment
	if isAssignment != (l.Assignment != nil) {
		f.add(at+"assignment", "is for lectures of the kind assignment, which need one")
	}
	if l.File != "" || l.Kind == catalog.KindText || isAssignment {
		return // without a URL
	}
	u, err := url.Parse(l.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") ||
		utf8.RuneCountInString(l.URL) > catalog.MaxLectureURL {
		f.add(at+"lectureUrl", "must be an http or https URL of at most %d characters",
			catalog.MaxLectureURL)
	}
}

// id checks an id, which is optional and must be unique, and adds it to seen.
func (f *courseErrors) id(field, id string, seen map[string]bool) {
	switch {
	case id == "": // the platform makes one; that seen has "" afterwards does not matter
	case seen[id]:
		f.add(field, "%q is used twice", id)
	case utf8.RuneCountInString(id) > catalog.MaxContentID:
		f.add(field, "is longer than %d characters", catalog.MaxContentID)
	case !text.IsPathSegment(id):
		f.add(field,
			`is %q; it must not be "." or "..", and must have no slash, no control character and `+
				`no invalid UTF-8`, id)
	}
	seen[id] = true
}
