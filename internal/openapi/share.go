package openapi

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// ShareResponses replaces the responses of failures that several operations have by references to
// components, which it returns by name. A component is named after its only example. Of responses
// that differ and have one name, the one that most operations have becomes the component, so that
// the order of the operations does not matter.
func ShareResponses(operations []*Operation) map[string]*Response {
	// Count how many operations have each response.
	type counted struct {
		response *Response
		uses     int
	}
	found := map[string][]counted{} // by name
	for _, op := range operations {
		for status, r := range op.Responses {
			name := r.sharedName(status)
			if name == "" || status < "400" { // no failure; statuses have three digits each
				continue
			}
			i := slices.IndexFunc(found[name],
				func(c counted) bool { return reflect.DeepEqual(c.response, r) })
			if i < 0 {
				i = len(found[name])
				found[name] = append(found[name], counted{response: r})
			}
			found[name][i].uses++
		}
	}

	// Replace those with several uses. A namesake that differs stays where it is.
	shared := map[string]*Response{}
	for name, list := range found {
		most := slices.MaxFunc(list, func(a, b counted) int { return cmp.Compare(a.uses, b.uses) })
		if most.uses > 1 {
			shared[name] = most.response
		}
	}
	for _, op := range operations {
		for status, r := range op.Responses {
			if name := r.sharedName(status); status >= "400" && shared[name] != nil &&
				reflect.DeepEqual(shared[name], r) {
				op.Responses[status] = &Response{Ref: "#/components/responses/" + name}
			}
		}
	}
	return shared
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
