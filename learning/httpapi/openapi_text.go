package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// overview is the description of the whole API.
const overview = "Courses, purchases, learning, certificates, a community, quizzes and a tutor, " +
	"over JSON.\n\n" +
	"A success carries `success: true`, a failure is `{\"success\": false, \"message\": …}`, or a " +
	"problem (RFC 9457) if `Accept` names `application/problem+json`. " +
	"Money is a number in major units of the currency with at most two decimals, but for " +
	"`amount` of an opened order, which is an integer in the smallest unit. Times are ISO 8601 " +
	"in UTC with milliseconds; a request may have any offset from UTC. Ids are opaque. In a " +
	"request, `null` means that an optional field is not set, and unknown fields are ignored. " +
	"In an answer, an optional field is left out if there is no value. Every path answers HEAD " +
	"as GET, an unknown path is 404 `Route not found`, and a known path with another method 405 " +
	"`Method not allowed` with `Allow`.\n\n" +
	"What a schema cannot express (roles, money, races, repetition) is in docs/api.md of the " +
	"module."

// accessTexts say in descriptions who may call a route.
var accessTexts = map[Access]string{
	Public:       "For every caller.",
	OptionalAuth: "For every caller; the answer says more to a signed-in one.",
	AnyToken:     "For callers with a valid session token.",
	SignedIn:     "For signed-in users.",
	Educators:    "For users with the role `educator`.",
	Staff:        "For users with the role `educator` or `admin`.",
	Admins:       "For users with the role `admin`.",
	Signature:    "For the provider that signs the request.",
}

// tag groups routes in the API document: those whose id begins with one of the nouns, and those of
// other nouns whose path begins with path.
type tag struct{ name, text, nouns, path string }

var tags = []tag{
	{name: "Courses", text: "The catalogue of published courses, and their reviews.",
		nouns: "course review"},
	{name: "Account", text: "The caller's own record.", nouns: "user"},
	{
		name:  "Purchases",
		text:  "Orders at the payment gateway, their payment, and receipts.",
		nouns: "purchase receipt billing",
	},
	{
		name:  "Learning",
		text:  "Enrolled courses, progress, positions in lectures, notes, ratings and the time spent.",
		nouns: "enrollment progress position rating time analytics",
		path:  "/api/user/",
	},
	{
		name:  "Certificates",
		text:  "Certificates of completed courses, and their verification.",
		nouns: "certificate",
	},
	{
		name: "Credentials",
		text: "Certificates as Open Badges 3.0 credentials, with the keys and the status lists " +
			"that verify them.",
		nouns: "credential",
	},
	{
		name:  "Community",
		text:  "Groups, posts, replies, votes and reports.",
		nouns: "group post reply complaint",
		path:  "/api/community/",
	},
	{name: "Quizzes", text: "Quizzes, and the caller's attempts.", nouns: "quiz attempt"},
	{name: "Assignments", text: "Work that students submit and educators grade.",
		nouns: "assignment submission"},
	{name: "Tutor", text: "Chats with the AI, and roadmaps.", nouns: "chat roadmap"},
	{name: "Applications", text: "The application to become an educator.", nouns: "application"},
	{
		name: "Teaching", text: "An educator's own courses.", nouns: "educator",
		path: "/api/educator/",
	},
	{name: "Files", text: "Uploaded files for lectures, and packages of courses.",
		nouns: "file upload package"},
	{name: "Bundles", text: "Several courses that are sold together.", nouns: "bundle"},
	{name: "Coupons", text: "Codes that reduce a price.", nouns: "coupon"},
	{
		name:  "Administration",
		text:  "Applications, figures and lists for administrators.",
		nouns: "admin",
		path:  "/api/admin/",
	},
	{
		name:  "Webhooks",
		text:  "Events of the payment gateway and of the identity provider.",
		nouns: "gateway stripe provider identity",
	},
	{
		name:  "Service",
		text:  "The state and the description of the service.",
		nouns: "health openapi docs",
	},
}

// otherTag is the tag of the routes of a host.
var otherTag = tag{name: "Other", text: "Routes of the server's own."}

// tagOf returns the name of the tag of a row.
func tagOf(row Route) string {
	if row.ID == "course.add" { // for educators, although its noun is that of the catalogue
		return "Teaching"
	}
	noun, _, _ := strings.Cut(row.ID, ".")
	for _, t := range tags {
		if slices.Contains(strings.Fields(t.nouns), noun) {
			return t.name
		}
	}
	for _, t := range tags {
		if t.path != "" && strings.HasPrefix(row.Path, t.path) {
			return t.name
		}
	}
	return otherTag.name
}

// tagsOf describes the tags that rows have, in the order of tags.
func tagsOf(rows []Route) (all []map[string]string) {
	for _, t := range append(slices.Clone(tags), otherTag) {
		if slices.ContainsFunc(rows, func(row Route) bool { return tagOf(row) == t.name }) {
			all = append(all, map[string]string{"name": t.name, "description": t.text})
		}
	}
	return all
}

// windowText writes the length of a window in the largest unit that divides it: 15 minutes, 1 hour.
func windowText(d time.Duration) string {
	for _, u := range []struct {
		name   string
		length time.Duration
	}{{"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		switch n := d / u.length; {
		case n < 1 || d%u.length != 0: // try a smaller unit
		case n == 1:
			return "1 " + u.name
		default:
			return fmt.Sprintf("%d %ss", n, u.name)
		}
	}
	return d.String()
}
