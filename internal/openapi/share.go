package openapi

import (
	"maps"
	"reflect"
	"strings"
)

// ShareResponses replaces the responses of failures that several operations have by references to
// components, which it returns by name. A component is named after its only example.
func ShareResponses(operations []*Operation) map[string]*Response {
	// Count, for the first response of each name, how many operations have an equal one.
	first, uses := map[string]*Response{}, map[string]int{}
	for _, op := range operations {
		for status, r := range op.Responses {
			name := r.sharedName(status)
			if name == "" || status < "400" { // no failure; statuses have three digits each
				continue
			}
			if first[name] == nil {
				first[name] = r
			}
			if reflect.DeepEqual(first[name], r) {
				uses[name]++
			}
		}
	}
	// Replace those with several uses. A namesake that differs stays where it is.
	maps.DeleteFunc(first, func(name string, _ *Response) bool { return uses[name] < 2 })
	for _, op := range operations {
		for status, r := range op.Responses {
			if name := r.sharedName(status); status >= "400" && first[name] != nil &&
				reflect.DeepEqual(first[name], r) {
				op.Responses[status] = &Response{Ref: "#/components/responses/" + name}
			}
		}
	}
	return first
}

// sharedName returns the name of a response with one failure in camel case, and "" for any
// other response. Answers with rate-limit headers have names of their own; those of status 429
// always have the headers.
func (r *Response) sharedName(status string) string {
	content := r.Content[JSON]
	if content == nil || len(content.Examples) != 1 {
		return ""
	}
	name := ""
	for example := range content.Examples {
		for _, word := range strings.Split(example, "_") {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	if r.Headers["RateLimit-Limit"] != nil && status != "429" {
		name += "Limited"
	}
	return name
}
