package httpapi

import (
	"cmp"
	"reflect"
	"regexp"
	"strings"
)

// commonTexts describe fields that mean the same in every schema, by the name of the field. All
// other texts of the API document stand where the field is declared, in its tag doc. A type has its
// text in the tag of a field _. Texts in single quotes are code.
var commonTexts = map[string]string{
	"message":         "A text for the user, in English. It is stable: front ends may compare it.",
	"chapterId":       "The id of the chapter. It is unique within the course.",
	"lectureId":       "The id of the lecture. It is unique within the course.",
	"userId":          "The id of the user, which is the 'sub' of their session tokens.",
	"courseTitle":     "The title of the course, plain text.",
	"chapterTitle":    "The title of the chapter, plain text.",
	"lectureTitle":    "The title of the lecture, plain text.",
	"courseThumbnail": "The URL of the picture of the course.",
	"coursePrice":     "The price before the discount: 499 or 19.99.",
	"discount":        "The discount in per cent, from 0 to 100, with at most two decimals.",
	"isPublished": "Whether everyone can see and buy the course. False: a draft, which only its " +
		"educator and admins see.",
	"nextCursor": "What to send as 'cursor' for the next page. Null if this is the last one, and " +
		"missing if the list is answered in full. A page of a search may have fewer rows than " +
		"'limit', or none, before the last one.",
	"imageUrl":    "The URL of the user's picture. Empty if there is none.",
	"email":       "The user's e-mail address. Empty if there is none.",
	"currency":    "The currency as an ISO 4217 code, such as INR.",
	"isUpvoted":   "Whether the caller has upvoted it. False if the caller is not signed in.",
	"authorName":  "The author's name. 'Deleted user' if the author was deleted.",
	"authorImage": "The URL of the author's picture. Empty if there is none.",
	"isAuthor":    "Whether the caller has written it. False if the caller is not signed in.",
	"isAcceptedAnswer": "Whether the reply is the accepted one of its post. A post has at most " +
		"one.",
	"slug": "The name of the group for URLs: ASCII letters and digits with hyphens. It is unique.",
	"isMember": "Whether the caller is a member of the group. False if the caller is not signed " +
		"in.",
	"percentage": "The share of correct answers in per cent, rounded to an integer.",
	"group": "The group of the percentage: up to 40 'needs_review', up to 75 'on_track', else " +
		"'mastered'.",
}

const (
	successText    = "Always true. A failure has `success: false`."
	courseDataText = "The course as JSON, of at most 1 MiB."
	imageText      = "A JPEG, PNG or WebP picture of at most 5 MiB."
)

// inQuotes finds a text in single quotes, but no apostrophe.
var inQuotes = regexp.MustCompile(`\B'([^']+)'\B`)

// textOf returns the description of a type, or that of one of its fields by its Go name. It
// returns "" if there is none.
func textOf(t reflect.Type, field string) string {
	if t.Kind() != reflect.Struct {
		return ""
	}
	if t == reflect.TypeOf(exportAnswer) && field == "" {
		return "Everything that the platform stores about the caller."
	}
	// The text of the type is that of its field _. If the type does not have the field, f is zero:
	// it has neither a tag nor a text.
	f, _ := t.FieldByName(cmp.Or(field, "_"))
	if len(f.Index) > 1 { // the field is that of an embedded type, which has a text of its own
		return ""
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return inQuotes.ReplaceAllString(cmp.Or(f.Tag.Get("doc"), commonTexts[name]), "`$1`")
}
