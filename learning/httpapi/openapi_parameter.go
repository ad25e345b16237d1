package httpapi

import (
	"cmp"
	"maps"
	"strings"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/refund"
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
	"openapi": {{name: "If-None-Match", text: "The ETag of the document that the client has.",
		schema: map[string]any{"type": "string"}}},
	"purchase.refund": {{name: "Idempotency-Key",
		text: "A name of this request, of visible characters. It belongs to the purchase, and to " +
			"one body.",
		schema: map[string]any{"type": "string", "minLength": 1, "maxLength": refund.MaxKey,
			"pattern": "^[!-~]+$"}}},
	"upload.create": {tusParameter,
		{name: "Upload-Length", text: "The size of the whole file in bytes.",
			schema: map[string]any{"type": "integer", "minimum": 1}},
		{name: "Upload-Metadata", text: "Pairs of a key and a value in base64, separated by commas. " +
			"`filename` is the name of the file; other keys are kept.",
			schema: map[string]any{"type": "string", "maxLength": file.MaxUploadMetadata}},
	},
	"upload.get": {tusParameter},
	"upload.append": {tusParameter,
		{name: "Upload-Offset", text: "How many bytes are stored already.",
			schema: map[string]any{"type": "integer", "minimum": 0}},
	},
	"identity.webhook": {
		{name: "hook-id", text: "The id of the message. It is part of what is signed.",
			schema: map[string]any{"type": "string"}},
		{name: "hook-timestamp",
			text: "The time of the message in Unix seconds, at most five minutes from now. It is " +
				"part of what is signed.", schema: map[string]any{"type": "string"}},
	},
}

// tusParameter is the version of the protocol of uploads.
var tusParameter = parameter{name: "Tus-Resumable", text: "The version of the protocol.",
	schema: texts(tusVersion)}

// pathTexts describe the parameters of paths for which idText has no text, or not enough, by route
// id and name or by name.
var pathTexts = map[string]string{
	"course.get id":    "The id of a course.",
	"review.list id":   "The id of a course.",
	"review.report id": "The id of a course.",

	"educator.attempt attemptId": "The id of an attempt of a student.",

	"id":            "The id of an application.",
	"chapterId":     "The id of a chapter of the course.",
	"certificateId": "The id of a certificate, as it is printed.",
	"list":          "The number of a status list.",
	"keyId":         "The id of a key: its JWK thumbprint.",
	"replyId":       "The id of a reply to the post.",
	"lectureId":     "The id of a lecture of the course.",
	"attemptId":     "The id of an attempt of the caller's.",
	"fileId":        "The id of a file of the caller's.",
	"uploadId":      "The id of an upload of the caller's.",
	"sessionId":     "The id of a chat of the caller's.",
	"provider":      "The name of a payment provider of the host.",
	"number":        "The number of a credit note, such as C-2026-000001.",
}

// otherPathText describes the parameters of paths of a host.
const otherPathText = "A part of the path."

// idText describes a parameter of a path that is called courseId, for example.
func idText(name string) string {
	noun, isID := strings.CutSuffix(name, "Id")
	switch {
	case !isID || noun == "" || noun != strings.ToLower(noun):
		return otherPathText
	case strings.ContainsAny(noun[:1], "aeio"):
		return "The id of an " + noun + "."
	}
	return "The id of a " + noun + "."
}

// parametersOf returns the parameters of a row as objects of the document: those of its path, its
// query and its header.
func parametersOf(row Route) []map[string]any {
	var all []map[string]any
	for _, s := range strings.Split(row.Path, "/") {
		if web.IsParameter(s) {
			name := s[1:] // without : or *
			text := cmp.Or(pathTexts[row.ID+" "+name], pathTexts[name], idText(name))
			all = append(all, parameter{
				name:   name,
				text:   text,
				schema: map[string]any{"type": "string"},
			}.in("path", isRequired))
		}
	}
	for _, p := range row.query {
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
