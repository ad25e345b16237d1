package httpapi

import (
	"cmp"
	"reflect"
	"strings"
)

// fieldTexts describe the schemas of the API document and their fields to front-end
// developers. A key is the name of a schema ("Course"), or a schema and one of its fields
// ("Course.coursePrice"). The fields of an embedded type are described with that type.
// openapi_field_*.go have the texts by subject.
var fieldTexts = joined(courseTexts, learningTexts, communityTexts, quizTexts, tutorTexts, staffTexts, couponTexts, webhookTexts, exportTexts)

// commonTexts describe fields that mean the same in every schema, by the name of the field.
var commonTexts = map[string]string{
	"message":         "A text for the user, in English. It is stable: front ends may compare it.",
	"courseId":        "The id of the course.",
	"chapterId":       "The id of the chapter. It is unique within the course.",
	"lectureId":       "The id of the lecture. It is unique within the course.",
	"userId":          "The id of the user, which is the `sub` of their session tokens.",
	"courseTitle":     "The title of the course, plain text.",
	"chapterTitle":    "The title of the chapter, plain text.",
	"courseThumbnail": "The URL of the picture of the course.",
	"coursePrice":     "The price before the discount, in major units of the server's currency, with at most two decimals: 499 or 19.99.",
	"discount":        "The discount in per cent, from 0 to 100, with at most two decimals.",
	"isPublished":     "Whether everyone can see and buy the course. False: a draft, which only its educator and admins see.",
	"nextCursor": "What to send as `cursor` for the next page. Null if this is the last one, and missing if the list is answered in full. A page " +
		"of a search may have fewer rows than `limit`, or none, before the last one.",
	"createdAt":        "When it was created: ISO 8601, UTC, with milliseconds.",
	"updatedAt":        "When it was last changed: ISO 8601, UTC, with milliseconds.",
	"totalLectures":    "The number of lectures of the course.",
	"imageUrl":         "The URL of the user's picture. Empty if there is none.",
	"name":             "The user's name.",
	"email":            "The user's e-mail address. Empty if there is none.",
	"currency":         "The currency as an ISO 4217 code, such as INR.",
	"pdfUrl":           "The URL of the certificate as PDF.",
	"isUpvoted":        "Whether the caller has upvoted it. False if the caller is not signed in.",
	"isAuthor":         "Whether the caller has written it. False if the caller is not signed in.",
	"upvoteCount":      "The number of upvotes.",
	"authorName":       "The author's name. `Deleted user` if the author was deleted.",
	"authorImage":      "The URL of the author's picture. Empty if there is none.",
	"isMember":         "Whether the caller is a member of the group. False if the caller is not signed in.",
	"isAcceptedAnswer": "Whether the reply is the accepted one of its post. A post has at most one.",
	"slug":             "The name of the group for URLs: ASCII letters and digits with hyphens. It is unique.",
	"hasMore":          "Whether there is a next page. False if the list is answered in full.",
	"total":            "The number of entries on all pages.",
	"percentage":       "The share of correct answers in per cent, rounded to an integer.",
	"group":            "The group of the percentage: up to 40 `needs_review`, up to 75 `on_track`, else `mastered`.",
}

const (
	successText    = "Always true. A failure has `success: false`."
	courseDataText = "The course as JSON, of at most 1 MiB."
	imageText      = "A JPEG, PNG or WebP picture of at most 5 MiB."
)

// joined returns the entries of all maps.
func joined(maps ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range maps {
		for key, text := range m {
			all[key] = text
		}
	}
	return all
}

// textOf returns the description of a type, or that of one of its fields by its Go name. It
// returns "" if there is none.
func textOf(t reflect.Type, field string) string {
	switch {
	case t.Name() == "":
		return ""
	case field == "":
		return fieldTexts[schemaName(t)]
	}
	f, _ := t.FieldByName(field)
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return cmp.Or(fieldTexts[schemaName(t)+"."+name], commonTexts[name])
}
