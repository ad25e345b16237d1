package cartridge

import (
	"cmp"
	"path"
	"slices"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/qti"
	"github.com/openlectern/openlectern/internal/safexml"
	"github.com/openlectern/openlectern/internal/safezip"
)

// isQuiz reports whether a resource is a quiz.
func (c *cartridge) isQuiz(res resource) bool { return c.kindOf(res) == quizKind }

// quiz adds the quiz of an item as a chapter without lectures. folders are the titles of the
// folders around it. A quiz without questions is left out, and so is one that was met before. One
// that is not published at Canvas, by the id of its item or of its resource, is added and named.
func (c *cartridge) quiz(folders []string, it item, res resource) (isAdded bool, err error) {
	title := it.title
	file := c.fileOf(res)
	if c.isShown[res.id] || file != nil && c.isUsed[file.Name] {
		c.skip("quiz "+named(title), "it stands in another place of the course, too")
		return false, nil
	}
	if c.isShown[res.id] = true; file != nil {
		c.isUsed[file.Name] = true
	}
	a, why, err := c.assessment(res)
	if err != nil {
		return false, err
	}
	title = cmp.Or(title, text(a.Title, maxTitle), "Quiz")
	for _, s := range a.Skipped {
		c.skip(s.What+" of the quiz "+named(title), s.Why)
	}
	if why == "" && len(a.Quiz.Questions) == 0 {
		why = "it has no question that can be imported"
	}
	if why != "" {
		c.skip("quiz "+named(title), why)
		return false, nil
	}
	if c.canvas.unpublished[it.id] || c.canvas.unpublished[it.ref] {
		c.unpublished = append(c.unpublished, "quiz "+named(title))
	}
	c.course.Chapters = append(c.course.Chapters, coursepackage.Chapter{
		Title: c.chapterTitle(append(slices.Clone(folders), title)), Quiz: &a.Quiz})
	return true, nil
}

// assessment reads a quiz, or returns why it cannot be imported. Where the cartridge has it in the
// form of Canvas too, which has more kinds of questions and their points, that form is read, and
// the common one if that has no question.
func (c *cartridge) assessment(res resource) (a qti.Assessment, why string, err error) {
	common := c.fileOf(res)
	rich, settings := c.canvasQuiz(res, common)
	for _, file := range []*safezip.File{rich, common} {
		if file == nil {
			continue
		}
		data, err := c.read(file, safexml.MaxSize)
		if err == nil {
			a, err = qti.Reader{Bank: c.bank}.Read(c.budget, data)
		}
		if err != nil {
			if why, err = failure(err); err != nil {
				return a, "", err
			}
			continue
		}
		if why = ""; len(a.Quiz.Questions) > 0 {
			break
		}
	}
	if rich == nil && common == nil {
		return a, "the cartridge does not have its file", nil
	}
	if settings == nil || why != "" {
		return a, why, nil
	}
	data, err := c.read(settings, safexml.MaxSize)
	if err == nil {
		var s qti.Settings
		if s, err = qti.CanvasSettings(c.budget, data); err == nil {
			s.Apply(&a)
		}
	}
	if err != nil {
		if why, err = failure(err); err == nil {
			a.Skipped = append(a.Skipped, coursepackage.Skipped{What: "the settings", Why: why})
		}
	}
	return a, "", err
}

// canvasQuiz returns the documents that Canvas has of a quiz beside the common one: its questions,
// and its settings. Each may be nil.
func (c *cartridge) canvasQuiz(res resource, common *safezip.File) (rich, settings *safezip.File) {
	for _, d := range res.dependencies {
		other := c.resources[d]
		rich = cmp.Or(rich, c.fileNamed(other, bankEnd))
		settings = cmp.Or(settings, c.fileNamed(other, settingsOfQuiz))
	}
	if common != nil {
		settings = cmp.Or(settings,
			c.archive.File(path.Join(path.Dir(common.Name), settingsOfQuiz)))
	}
	return cmp.Or(rich, c.archive.File(bankFolder+res.id+bankEnd)), settings
}

// bank returns the document of a bank of questions; nil if the cartridge does not have it.
func (c *cartridge) bank(id string) ([]byte, error) {
	file := c.archive.File(bankFolder + id + bankEnd)
	if res, found := c.resources[id]; found && file == nil {
		file = c.fileOf(res)
	}
	if file == nil {
		return nil, nil
	}
	c.banks[file.Name] = true
	return c.read(file, safexml.MaxSize)
}
