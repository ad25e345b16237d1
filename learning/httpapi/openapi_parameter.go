package httpapi

import (
	"cmp"
	"maps"
	"strings"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning"
)

// parameter describes a parameter of a request in the API document.
type parameter struct {
	name, text string
	schema     map[string]any
}

// texts returns the schema of a text that is one of values.
func texts(values ...string) map[string]any {
	return map[string]any{"type": "string", "enum": values}
}

// queryParameters are the parameters of the query by route id. All are optional.
var queryParameters = map[string][]parameter{
	"post.list": {
		{name: "groupId", text: "Only the posts of this group. An unknown group has none.",
			schema: map[string]any{"type": "string"}},
		{name: "tab",
			text: "All posts, all with the most upvotes first, or those of the caller's groups.",
			schema: texts(string(learning.AllPosts), string(learning.TrendingPosts),
				string(learning.MyGroupsPosts))},
		{name: "page",
			text: "The number of a page, from 1. Without `page`, `limit` and `cursor` the list " +
				"is answered in full.",
			schema: map[string]any{"type": "integer", "minimum": 1}},
		{name: "limit", text: "The number of posts of a page.",
			schema: map[string]any{"type": "integer", "minimum": 1, "maximum": maxPageRows,
				"default": learning.DefaultPostPage}},
		{name: "cursor",
			text: "The `nextCursor` of the page before, in place of `page`. Unlike a number it " +
				"takes the same time for every page.",
			schema: map[string]any{"type": "string"}},
	},
	courseList: pages(
		parameter{
			name: "q",
			text: "Only the courses that have all these words: each is the beginning of a word of " +
				"the title, the description or the educator's name. " +
				"Case and accents are ignored.",
			schema: map[string]any{"type": "string", "maxLength": 200},
		},
		parameter{
			name:   "educatorId",
			text:   "Only the courses of this educator.",
			schema: map[string]any{"type": "string"},
		},
		parameter{
			name: "sort",
			text: "The order: the newest, the most students, the highest rating or the lowest " +
				"price after the discount first. " +
				"Without it the oldest first.",
			schema: texts(string(learning.NewestCourses), string(learning.PopularCourses),
				string(learning.RatedCourses), string(learning.CheapCourses)),
		}),
	enrolledList: pages(parameter{
		name: "sort",
		text: "The order: the course first in which the caller saved a position or was enrolled " +
			"last. Without it the oldest enrolment first.",
		schema: texts(recentCourses),
	}),
	"chat.list":         pages(),
	"educator.courses":  pages(),
	"educator.students": pages(),
	"quiz.marks":        pages(),
	"admin.applications": pages(parameter{
		name: "status",
		text: "Only the applications of this status.",
		schema: texts(string(learning.ApplicationPending), string(learning.ApplicationApproved),
			string(learning.ApplicationRejected)),
	}),
	"admin.courses": pages(),
	"admin.users": pages(
		parameter{
			name: "q",
			text: "Only the users who have all these words: each is the beginning of a word of " +
				"the name or the e-mail address. " +
				"Case and accents are ignored.",
			schema: map[string]any{"type": "string", "maxLength": 200},
		},
		parameter{
			name: "role",
			text: "Only the users with this `role` in the answer.",
			schema: texts(string(learning.Student), string(learning.Educator),
				string(learning.Admin)),
		}),
	"complaint.list": paged(parameter{
		name: "status",
		text: "Only the reports of this status.",
		schema: texts(string(learning.ComplaintOpen), string(learning.ComplaintDismissed),
			string(learning.ComplaintRemoved)),
	}),
	"admin.enrollments": paged(
		parameter{
			name:   "userId",
			text:   "Only the enrolments of this user. An unknown user has none.",
			schema: map[string]any{"type": "string"},
		},
		parameter{
			name:   "courseId",
			text:   "Only the enrolments in this course. An unknown course has none.",
			schema: map[string]any{"type": "string"},
		}),
	"admin.purchases": pages(parameter{
		name: "status",
		text: "Only the purchases of this status; `all` is every one.",
		schema: texts("all", string(learning.PurchaseCreated), string(learning.PurchasePending),
			string(learning.PurchaseCompleted),
			string(learning.PurchaseFailed), string(learning.PurchaseRefunded)),
	}),
}

// paged returns parameters, and those of a list that is answered in pages.
func paged(others ...parameter) []parameter {
	return append(others,
		parameter{
			name: "limit",
			text: "The number of rows of a page.",
			schema: map[string]any{"type": "integer", "minimum": 1, "maximum": maxPageRows,
				"default": maxPageRows},
		},
		parameter{
			name:   "cursor",
			text:   "The `nextCursor` of the page before; without it the first page.",
			schema: map[string]any{"type": "string"},
		})
}

// pages returns parameters, and those of a list that is answered in full, or in pages on request.
func pages(others ...parameter) []parameter {
	list := paged(others...)
	limit := &list[len(others)] // the first that paged adds
	limit.text = "The number of rows of a page. Without this and the other parameters of " +
		"pages the list is answered in full (docs/api.md §16)."
	return list
}

// headerParameters are the headers of requests by route id, without those of a security scheme.
var headerParameters = map[string][]parameter{
	"course.list": {{name: "If-None-Match", text: "The ETag of the list that the client has.",
		schema: map[string]any{"type": "string"}}},
	"purchase.refund": {{name: "Idempotency-Key",
		text: "A name of this request, of visible characters. It belongs to the purchase, and to " +
			"one body.",
		schema: map[string]any{"type": "string", "minLength": 1, "maxLength": learning.MaxRefundKey,
			"pattern": "^[!-~]+$"}}},
	"identity.webhook": {
		{name: "hook-id", text: "The id of the message. It is part of what is signed.",
			schema: map[string]any{"type": "string"}},
		{name: "hook-timestamp",
			text: "The time of the message in Unix seconds, at most five minutes from now. It is " +
				"part of what is signed.", schema: map[string]any{"type": "string"}},
	},
}

// pathTexts describe the parameters of paths, by route id and name or by name.
var pathTexts = map[string]string{
	"course.get id": "The id of a course.",
	"id":            "The id of an application.",
	"courseId":      "The id of a course.",
	"chapterId":     "The id of a chapter of the course.",
	"certificateId": "The id of a certificate, as it is printed.",
	"list":          "The number of a status list.",
	"keyId":         "The id of a key: its JWK thumbprint.",
	"groupId":       "The id of a group.",
	"postId":        "The id of a post.",
	"purchaseId":    "The id of a purchase.",
	"replyId":       "The id of a reply to the post.",
	"reportId":      "The id of a report.",
	"couponId":      "The id of a coupon.",
	"lectureId":     "The id of a lecture of the course.",
	"fileId":        "The id of a file of the caller's.",
	"sessionId":     "The id of a chat of the caller's.",
	"userId":        "The id of a user.",
}

// otherPathText describes the parameters of paths of a host.
const otherPathText = "A part of the path."

// parametersOf returns the parameters of a row as objects of the document: those of its path, its
// query and its header.
func parametersOf(row Route) []map[string]any {
	var all []map[string]any
	for _, s := range strings.Split(row.Path, "/") {
		if web.IsParameter(s) {
			name := s[1:] // without : or *
			text := cmp.Or(pathTexts[row.ID+" "+name], pathTexts[name], otherPathText)
			all = append(all, parameter{
				name:   name,
				text:   text,
				schema: map[string]any{"type": "string"},
			}.in("path", isRequired))
		}
	}
	for _, p := range queryParameters[row.ID] {
		all = append(all, p.in("query", !isRequired))
	}
	// A provider that signs its requests sends these headers with each.
	for _, p := range headerParameters[row.ID] {
		all = append(all, p.in("header", row.Access == Signature))
	}
	return all
}

// in returns the object that describes a parameter of a place: "path", "query" or "header".
func (p parameter) in(place string, required bool) map[string]any {
	return map[string]any{"name": p.name, "in": place, "required": required, "description": p.text,
		"schema": maps.Clone(p.schema)}
}
