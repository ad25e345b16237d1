package cartridge

import (
	"html"
	"regexp"
)

// maxHead is where the head of a page ends at the latest, in bytes.
const maxHead = 64 << 10

var (
	titleElement = regexp.MustCompile(`(?is)<title[^>]*>([^<]{0,1000})</title`)
	draftElement = regexp.MustCompile(`(?i)<meta\s+name="workflow_state"\s+content="unpublished"`)
)

// head is what the head of a page says.
type head struct {
	title   string
	isDraft bool // of Canvas: students do not see the page
}

// headOf returns what the head of a page says.
func headOf(data []byte) (h head) {
	data = data[:min(len(data), maxHead)]
	if match := titleElement.FindSubmatch(data); match != nil {
		h.title = text(html.UnescapeString(string(match[1])), maxTitle)
	}
	h.isDraft = draftElement.Match(data)
	return h
}
