package exchange

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// peopleField is a field of the rows of [People].
type peopleField struct {
	name  string
	kinds []PeopleKind
	// read stores the value of a text that is not "", and returns why it cannot; "" if it can.
	read func(r *PeopleRow, text string) (reason string)
}

var (
	ofUsers   = []PeopleKind{PersonUser}
	ofOthers  = PeopleKinds[1:]
	ofResults = []PeopleKind{PersonResult}
	ofSales   = []PeopleKind{PersonSale}
)

// peopleFields lists the fields in the order in which they are read.
var peopleFields = []peopleField{
	{"kind", PeopleKinds, asIt(func(r *PeopleRow, s string) { r.Kind = PeopleKind(s) })},
	{"id", ofUsers, asIt(func(r *PeopleRow, s string) { r.UserID = s })},
	{"userId", ofOthers, asIt(func(r *PeopleRow, s string) { r.UserID = s })},
	{"email", PeopleKinds, asIt(func(r *PeopleRow, s string) { r.Email = s })},
	{"name", ofUsers, asIt(func(r *PeopleRow, s string) { r.Name = s })},
	{"firstName", ofUsers, asIt(func(r *PeopleRow, s string) { r.Name = s })},
	{"lastName", ofUsers, asIt(func(r *PeopleRow, s string) {
		r.Name = strings.TrimSpace(r.Name + " " + s)
	})},
	{"imageUrl", ofUsers, asIt(func(r *PeopleRow, s string) { r.ImageURL = s })},
	{"courseId", ofOthers, asIt(func(r *PeopleRow, s string) { r.CourseID = s })},
	{"lectureId", []PeopleKind{PersonProgress},
		asIt(func(r *PeopleRow, s string) { r.LectureID = s })},
	{"percent", []PeopleKind{PersonProgress}, func(r *PeopleRow, s string) string {
		whole, _, _ := strings.Cut(strings.TrimSuffix(s, "%"), ".") // only whole lectures count
		return readNumber(&r.Percent, whole)
	}},
	{"amount", ofSales, func(r *PeopleRow, s string) string {
		const mostDecimals = "KWD" // the currency of the row may be read later
		if _, err := core.ParseMoney(s, mostDecimals); err != nil {
			return "must be a number with at most three decimals"
		}
		r.Amount = s
		return ""
	}},
	{"currency", ofSales, asIt(func(r *PeopleRow, s string) { r.Currency = s })},
	{"source", ofSales, asIt(func(r *PeopleRow, s string) { r.Source = s })},
	{"reference", ofSales, asIt(func(r *PeopleRow, s string) { r.Reference = s })},
	{"chapterId", ofResults, asIt(func(r *PeopleRow, s string) { r.ChapterID = s })},
	{"score", ofResults, func(r *PeopleRow, s string) string { return readNumber(&r.Score, s) }},
	{"total", ofResults, func(r *PeopleRow, s string) string {
		reason := readNumber(&r.Total, s)
		r.Passed = 2*r.Score >= r.Total // unless the row says it
		return reason
	}},
	{"passed", ofResults, func(r *PeopleRow, s string) string { return readBool(&r.Passed, s) }},
	{"certificateId", []PeopleKind{PersonCertificate},
		asIt(func(r *PeopleRow, s string) { r.CertificateID = s })},
	{"rating", []PeopleKind{PersonRating}, func(r *PeopleRow, s string) string {
		return readNumber(&r.Stars, s)
	}},
	{"review", []PeopleKind{PersonRating}, asIt(func(r *PeopleRow, s string) { r.Review = s })},
	{"expiresAt", []PeopleKind{PersonEnrollment},
		func(r *PeopleRow, s string) string { return readTime(&r.ExpiresAt, s) }},
	{"createdAt", PeopleKinds, func(r *PeopleRow, s string) string { return readTime(&r.At, s) }},
}

// asIt returns the function of a field that keeps its text as it is.
func asIt(set func(r *PeopleRow, s string)) func(*PeopleRow, string) string {
	return func(r *PeopleRow, s string) string {
		set(r, s)
		return ""
	}
}

// isFieldOfPeople reports whether rows of [People] have a field.
func isFieldOfPeople(name string) bool {
	return slices.ContainsFunc(peopleFields, func(f peopleField) bool { return f.name == name })
}

// namesOfPeople lists the names of all fields for an error.
func namesOfPeople() string {
	var names []string
	for _, f := range peopleFields {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// maxPoints is the greatest total of a result.
const maxPoints = 1_000_000

// check returns the first field whose value is missing or cannot be stored, and why; "" if there is
// none.
func (r PeopleRow) check() (field, reason string) {
	isUser := r.Kind == PersonUser
	of := func(k PeopleKind, holds bool) bool { return r.Kind != k || holds }
	idOfUser := "userId"
	if isUser {
		idOfUser = "id"
	}
	for _, rule := range []struct {
		holds         bool
		field, reason string
	}{
		{slices.Contains(PeopleKinds, r.Kind), "kind",
			fmt.Sprintf("must be one of %q", PeopleKinds)},
		{!isUser || r.UserID != "", "id", "is missing: give the id at the identity provider"},
		{r.UserID != "" || r.Email != "", "userId",
			"is missing: name the person by userId or email"},
		{r.UserID == "" || text.ValidID(r.UserID, core.MaxUserID), idOfUser,
			fmt.Sprintf("must be at most %d bytes", core.MaxUserID)},
		{text.Is(r.Name, 0, people.MaxName), "name", atMost(people.MaxName)},
		{text.Is(r.Email, 0, people.MaxEmail), "email", atMost(people.MaxEmail)},
		{text.Is(r.ImageURL, 0, people.MaxImageURL), "imageUrl", atMost(people.MaxImageURL)},
		{isUser || r.CourseID != "", "courseId", "is missing: give the id of the course here"},
		{of(PersonProgress, r.LectureID != "" || r.places == nil || r.has("percent")), "lectureId",
			"is missing: say what is completed by lectureId or percent"},
		{r.Percent >= 0 && r.Percent <= 100, "percent", "must be from 0 to 100"},
		{of(PersonResult, r.ChapterID != ""), "chapterId", "is missing: give that of the quiz"},
		{of(PersonResult, r.Total >= 1 && r.Total <= maxPoints), "total",
			fmt.Sprintf("must be a whole number from 1 to %d", maxPoints)},
		{of(PersonResult, r.Score >= 0 && r.Score <= r.Total), "score",
			"must be a whole number from 0 to total"},
		{of(PersonCertificate, isCertificateID(r.CertificateID)), "certificateId",
			`must be 1 to 100 of A to Z, a to z, 0 to 9, ".", "_" and "-", and not only dots`},
		{of(PersonRating, r.Stars >= 1 && r.Stars <= community.MaxStars), "rating",
			fmt.Sprintf("must be a whole number from 1 to %d", community.MaxStars)},
		{text.Is(r.Review, 0, community.MaxReview), "review", atMost(community.MaxReview)},
		{isUser || !r.At.IsZero(), "createdAt", "is missing: say when it happened"},
		{core.IsStorableTime(r.At), "createdAt", core.StorableTimeRule},
		{core.IsStorableTime(r.ExpiresAt), "expiresAt", core.StorableTimeRule},
	} {
		if !rule.holds {
			return rule.field, rule.reason
		}
	}
	return "", ""
}

// has reports whether the file has a field for the row.
func (r PeopleRow) has(field string) bool { _, isThere := r.places[field]; return isThere }

// atMost is the rule of a text.
func atMost(n int) string { return fmt.Sprintf("must be a text of at most %d characters", n) }

// readNumber reads a whole number. A spreadsheet may have given it a fraction of zeros.
func readNumber(to *int, s string) string {
	whole, fraction, _ := strings.Cut(strings.TrimSpace(s), ".")
	n, err := strconv.Atoi(whole)
	if err != nil || strings.Trim(fraction, "0") != "" {
		return "must be a whole number"
	}
	*to = n
	return ""
}

// readBool reads true or false, as other systems write it.
func readBool(to *bool, s string) string {
	switch strings.ToLower(s) {
	case "true", "yes", "1", "passed":
		*to = true
	case "false", "no", "0", "failed":
		*to = false
	default:
		return "must be true or false"
	}
	return ""
}

// certificateID matches the ids of certificates.
var certificateID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)

// isCertificateID reports whether a certificate may have an id. One of dots alone would not stay in
// a URL.
func isCertificateID(s string) bool {
	return certificateID.MatchString(s) && strings.Trim(s, ".") != ""
}

// timeForms are how other systems write times. The last but one is without a zone, which is UTC.
var timeForms = []string{time.RFC3339, time.DateOnly, time.DateTime, "2006-01-02T15:04:05",
	"2006-01-02 15:04:05 UTC"}

// readTime reads a time, as it is stored: without parts of a microsecond.
func readTime(to *time.Time, s string) string {
	isUnix := len(s) >= 9 && len(s) <= 11 // from 1973 on
	if seconds, err := strconv.ParseInt(s, 10, 64); err == nil && isUnix {
		*to = time.Unix(seconds, 0).UTC()
		return ""
	}
	for _, form := range timeForms {
		if at, err := time.Parse(form, s); err == nil {
			*to = at.UTC().Truncate(time.Microsecond)
			return ""
		}
	}
	return `must be a time, such as "2024-03-01T09:30:00Z", "2024-03-01", ` +
		`"2024-03-01 09:30:00" or the seconds of Unix`
}
