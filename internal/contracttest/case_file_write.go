package contracttest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write stores the case with a new answer and new changes in its file. It keeps what precedes the
// answer, and all other cases.
func (c *Case) write(answer, changes string) error {
	f := c.in
	f.mu.Lock()
	defer f.mu.Unlock()
	c.Answer, c.Changes = answer, changes
	text := f.text()

	// A body with a line that begins a case would be read differently.
	again, err := parseCaseFile(f.name, text)
	if err != nil {
		return fmt.Errorf("write %s: %w", c.File, err)
	}
	for i, other := range f.cases {
		if got := again.cases[i]; got.Request != other.Request || got.Answer != other.Answer ||
			got.Changes != other.Changes {
			return fmt.Errorf("write %s: the format cannot express it", other.File)
		}
	}
	return os.WriteFile(f.name, []byte(text), 0o644)
}

// text returns the content of the file.
func (f *caseFile) text() string {
	f.updateHead()
	var b strings.Builder
	if f.head != "" {
		b.WriteString(f.head + "\n\n")
	}
	for _, line := range append([]string{answerMark}, f.answer...) {
		b.WriteString(line + "\n")
	}
	bodies, changes := sharedTexts{}, sharedTexts{}
	for _, c := range f.cases {
		b.WriteString("\n" + caseMark + c.written + "\n")
		if c.Answer == "" {
			continue
		}
		own := answerOf(c)
		own.headers = differing(f.answer, own.headers)
		if of := bodies.first(own.body, c.Name); of != "" {
			own.body = bodyMark + of
		}
		b.WriteString(own.text())
		of := changes.first(strings.TrimSuffix(c.Changes, "\n"), c.Name)
		switch {
		case of != "":
			b.WriteString(changesMark + sharedMark + of + "\n")
		case c.Changes != "":
			b.WriteString(changesMark + "\n" + c.Changes)
		}
	}
	return b.String()
}

// sharedTexts has the name of the first case with each text.
type sharedTexts map[string]string

// first returns the name of the first case that has a text, if that is another one and the text is
// long enough to be written once. It returns "" for the case that has it.
func (s sharedTexts) first(text, name string) string {
	const short = 3 // lines
	if strings.Count(text, "\n") < short {
		return ""
	}
	if s[text] == "" {
		s[text] = name
		return ""
	}
	return s[text]
}

// CheckForm fails for a file that a rewritten case would write in another form. With rewrite, it
// writes the file.
func CheckForm(tb testing.TB, rewrite bool) {
	tb.Helper()
	files, err := filepath.Glob(module + "testdata/contract/*.http")
	check(tb, err)
	for _, name := range files {
		old, err := os.ReadFile(name)
		check(tb, err)
		f, err := parseCaseFile(name, string(old))
		check(tb, err)
		switch text := f.text(); {
		case text == string(old):
		case !rewrite && slices.ContainsFunc(f.cases, isUnanswered): // its answer rewrites the file
		case rewrite:
			check(tb, os.WriteFile(name, []byte(text), 0o644))
		default:
			tb.Errorf("%s says headers, bodies or changes more than once: run this test with "+
				"-update", name)
		}
	}
}

func isUnanswered(c *Case) bool { return c.Answer == "" }

// updateHead replaces the headers of the head that no answer has any more, such as those of a limit
// that was changed, by what most answers have. A new file gets all headers so.
func (f *caseFile) updateHead() {
	var all [][]string
	for _, c := range f.cases {
		if c.Answer != "" {
			all = append(all, answerOf(c).headers)
		}
	}
	if !f.isAnswered {
		f.answer = commonHeaders(all)
		return
	}
	if all == nil {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(f.answer), func(line string) bool {
		name := headerName(line)
		return !slices.ContainsFunc(all, func(headers []string) bool {
			return slices.Equal(named(headers, name), named(f.answer, name))
		})
	})
	added := slices.DeleteFunc(commonHeaders(all), func(line string) bool {
		name := headerName(line)
		return named(f.answer, name) == nil || named(kept, name) != nil
	})
	f.answer = slices.Sorted(slices.Values(slices.Concat(kept, added)))
}
