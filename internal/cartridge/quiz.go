package cartridge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/qti"
	"github.com/openlectern/openlectern/internal/safexml"
)

// maxQuizzes is the size of all quizzes of a cartridge that are read, in bytes. They are held in
// memory.
const maxQuizzes = 48 << 20

// isQuiz reports whether a resource is a quiz. The types differ between the versions by their ends.
func isQuiz(res resource) bool {
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(res.Type)), "imsqti_")
}

// quiz adds the quiz of an item as a chapter without lectures. folders are the titles of the
// folders around it. A quiz without questions is left out.
func (c *cartridge) quiz(folders []string, it item, res resource) error {
	title := text(it.Title, maxTitle)
	file := c.fileOf(title, res)
	if file == nil {
		return nil
	}
	if c.quizSize += file.Size; c.quizSize > maxQuizzes {
		c.skip("quiz "+named(title), "the quizzes of the cartridge are larger than 48 MiB together")
		return nil
	}
	data, err := c.read(file, safexml.MaxSize)
	if err != nil {
		return err
	}
	a, err := qti.Read(c.budget, data)
	if err != nil {
		return refusal(file, err)
	}
	title = cmp.Or(title, text(a.Title, maxTitle), "Quiz")
	for _, s := range a.Skipped {
		c.skip(s.What+" of the quiz "+named(title), s.Why)
	}
	if len(a.Quiz.Questions) == 0 {
		c.skip("quiz "+named(title), "it has no question that can be imported")
		return nil
	}
	c.course.Chapters = append(c.course.Chapters, coursepackage.Chapter{
		Title: c.chapterTitle(append(slices.Clone(folders), title)), Quiz: &a.Quiz})
	return nil
}

// counted returns a number with a noun.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// named returns a name for a message.
func named(name string) string { return strconv.Quote(text(name, maxTitle)) }
