package contracttest

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// message is a request or an answer.
type message struct {
	line    string // the first line, "" if it is left out
	headers []string
	hasBody bool
	body    string // without the end of its last line
}

var (
	requestLine = regexp.MustCompile(`^[A-Z]+ /`)
	unknownLine = regexp.MustCompile(`^[a-z]+: `) // a misspelt line "given", for example
	statusLine  = regexp.MustCompile(`^HTTP/1\.1 `)
	// A header, a mark that is replaced by headers, or the name of a header that is left out.
	headerLine = regexp.MustCompile(
		`^(?:[A-Za-z][A-Za-z0-9-]*:|\{\{hook |-(?:[A-Za-z][A-Za-z0-9-]*\*?|\{\{hook\}\})$)`)
)

// isHeader reports whether a line is a header. The line "multipart:" begins a body.
func isHeader(line string) bool { return headerLine.MatchString(line) && line != "multipart:" }

// parseMessage reads a message whose first line may be left out. An empty line between headers and
// body may be left out if the first line of the body is not a header.
func parseMessage(lines []string, first *regexp.Regexp) message {
	var m message
	if len(lines) > 0 && first.MatchString(lines[0]) {
		m.line, lines = lines[0], lines[1:]
	}
	for len(lines) > 0 && isHeader(lines[0]) {
		m.headers, lines = append(m.headers, lines[0]), lines[1:]
	}
	if len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	m.hasBody, m.body = len(lines) > 0, strings.Join(lines, "\n")
	return m
}

// text returns the message as a case has it.
func (m message) text() string {
	var b strings.Builder
	for _, line := range append([]string{m.line}, m.headers...) {
		if line != "" {
			b.WriteString(line + "\n")
		}
	}
	if !m.hasBody {
		return b.String()
	}
	if first, _, _ := strings.Cut(m.body, "\n"); first == "" || isHeader(first) {
		b.WriteString("\n")
	}
	return b.String() + m.body + "\n"
}

// answerOf returns the answer of a case, which has one.
func answerOf(c *Case) message {
	head, body, _ := strings.Cut(c.Answer, "\n\n")
	lines := strings.Split(head, "\n")
	return message{line: lines[0], headers: lines[1:], hasBody: body != "",
		body: strings.TrimSuffix(body, "\n")}
}

// headerName returns the name of a header in lower case, or that of a mark, such as {{hook}}.
func headerName(line string) string {
	if strings.HasPrefix(line, "{{") {
		name, _, _ := strings.Cut(strings.TrimSuffix(line, "}}"), " ")
		return name + "}}"
	}
	line, _, _ = strings.Cut(line, ":")
	return strings.ToLower(line)
}

// named returns the lines of the headers with a name.
func named(headers []string, name string) []string {
	var all []string
	for _, line := range headers {
		if headerName(line) == name {
			all = append(all, line)
		}
	}
	return all
}

// merged returns headers that replace those of usual with the same names. "-Name" removes a header,
// and "-Name*" all whose names begin so.
func merged(usual, own []string) []string {
	replaced := func(line string) bool {
		name := headerName(line)
		return slices.ContainsFunc(own, func(line string) bool {
			removed, isRemoval := strings.CutPrefix(headerName(line), "-")
			prefix, isPrefix := strings.CutSuffix(removed, "*")
			return headerName(line) == name ||
				isRemoval && (removed == name || isPrefix && strings.HasPrefix(name, prefix))
		})
	}
	isRemoval := func(line string) bool { return strings.HasPrefix(line, "-") }
	return slices.Concat(slices.DeleteFunc(slices.Clone(usual), replaced),
		slices.DeleteFunc(slices.Clone(own), isRemoval))
}

// differing returns the headers for which merged returns all.
func differing(usual, all []string) []string {
	own := slices.DeleteFunc(slices.Clone(all), func(line string) bool {
		name := headerName(line)
		return slices.Equal(named(usual, name), named(all, name))
	})

	// Remove the headers of usual that are not in all, and those of a rate limit together.
	const limits = "RateLimit-"
	hasLimit := slices.ContainsFunc(all, func(line string) bool {
		return strings.HasPrefix(line, limits)
	})
	for _, line := range usual {
		name, _, _ := strings.Cut(line, ":")
		if strings.HasPrefix(line, "{{") {
			name = headerName(line)
		} else if strings.HasPrefix(name, limits) && !hasLimit {
			name = limits + "*"
		}
		if removal := "-" + name; named(all, headerName(line)) == nil &&
			!slices.Contains(own, removal) {
			own = append(own, removal)
		}
	}
	return own
}

// commonHeaders returns, of each header that more than half of the lists have, the most frequent
// lines, in the order of the lines.
func commonHeaders(lists [][]string) []string {
	count := map[string]map[string]int{} // by name and by lines
	for _, headers := range lists {
		seen := map[string]bool{}
		for _, line := range headers {
			name := headerName(line)
			if seen[name] {
				continue
			}
			seen[name] = true
			if count[name] == nil {
				count[name] = map[string]int{}
			}
			count[name][strings.Join(named(headers, name), "\n")]++
		}
	}
	var common []string
	for _, of := range count {
		var total, most int
		var best string
		for _, lines := range slices.Sorted(maps.Keys(of)) {
			if total += of[lines]; of[lines] > most {
				best, most = lines, of[lines]
			}
		}
		if 2*total > len(lists) {
			common = append(common, strings.Split(best, "\n")...)
		}
	}
	slices.Sort(common)
	return common
}
