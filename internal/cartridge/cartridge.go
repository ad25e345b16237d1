// Package cartridge reads IMS Common Cartridges 1.1, 1.2 and 1.3 as descriptions of courses. It
// reads files, web pages, which become Markdown, web links, assignments and quizzes, and what
// Canvas adds to these. What it does not read, such as discussions, it lists with the reason. Only
// the manifest can refuse a cartridge: a part that cannot be read is listed too.
package cartridge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/safexml"
	"github.com/openlectern/openlectern/internal/safezip"
)

// Name is the entry of a cartridge that says what it has.
const Name = "imsmanifest.xml"

// The lengths of texts, in code points. Longer ones are cut.
const (
	maxTitle       = 200
	maxDescription = 20_000
)

// maxSkipped is how many skipped parts are listed, before the others are counted only.
const maxSkipped = 500

// ErrNoCartridge is the refusal of a package whose manifest is that of another kind.
var ErrNoCartridge = &safezip.Error{Reason: "its imsmanifest.xml is not that of an IMS Common " +
	"Cartridge 1.1, 1.2 or 1.3: export the course as one of these"}

// Reader reads cartridges.
type Reader struct {
	// IsEmbed reports whether lectures may embed a page with a URL.
	IsEmbed func(url string) bool
	// MaxText is the length of the longest text of a lecture, and MaxInstructions that of the
	// instructions of an assignment, in code points.
	MaxText, MaxInstructions int
	// MaxTexts is the size of the texts of all lectures together, in bytes.
	MaxTexts int
	// MaxAttachments is how many attachments a lecture may have.
	MaxAttachments int
	// MaxLectures is how many lectures a course may have.
	MaxLectures int
	// Now is the time after which a due date is kept.
	Now time.Time
}

// cartridge is a cartridge that is being read.
type cartridge struct {
	Reader
	budget    *budget.Budget
	archive   *safezip.Archive
	names     map[string]*safezip.File // by their names in lower case
	base      string
	resources map[string]resource
	canvas    canvas

	course   coursepackage.Course
	lectures int // of the course
	texts    int // of the lectures, in bytes
	skipped  []coursepackage.Skipped
	more     int // skipped parts that are not listed

	isUsed      map[string]bool // by the paths of files
	isShown     map[string]bool // by the ids of resources
	banks       map[string]bool // that a quiz has drawn from, by their paths
	heads       map[string]head // of pages that were read, by their paths
	pages       map[string]convertedPage
	unpublished []string // the names of parts
}

// Read reads a cartridge as the description of a course, whose files are entries of the archive. It
// takes what it needs from the budget. A refusal is a [*safezip.Error].
func (r Reader) Read(
	b *budget.Budget, a *safezip.Archive,
) (coursepackage.Course, []coursepackage.Skipped, error) {
	// Read the manifest.
	c := &cartridge{Reader: r, budget: b, archive: a, resources: map[string]resource{},
		isUsed: map[string]bool{}, isShown: map[string]bool{}, banks: map[string]bool{},
		heads: map[string]head{}}
	data, err := c.read(a.File(Name), safexml.MaxSize)
	var m manifest
	if err == nil {
		m, err = readManifest(b, data)
	}
	if err != nil {
		return coursepackage.Course{}, nil, refusal(err)
	}
	if !isSupported(m.schema, m.version) {
		return coursepackage.Course{}, nil, ErrNoCartridge
	}
	c.base = join(m.base, m.resourceBase)
	for _, res := range m.resources {
		c.resources[res.id] = res
	}
	c.course.Title = orTitle(m.title, "Imported course")
	c.course.Description = m.description
	if err := c.readCanvas(); err != nil {
		return coursepackage.Course{}, nil, err
	}

	// The item at the top is the course itself, without a title or with that of the course. In some
	// cartridges it is missing.
	items := m.items
	if len(items) == 1 && items[0].ref == "" &&
		(items[0].title == "" || items[0].title == c.course.Title) {
		items = items[0].items
	}
	if err = c.walk(nil, items); err == nil {
		err = c.addRest(m.resources)
	}
	if err != nil {
		return coursepackage.Course{}, nil, err
	}
	return c.course, c.allSkipped(), nil
}

// isSupported reports whether a manifest is that of a cartridge that can be read.
func isSupported(schema, version string) bool {
	isCartridge := schema == "IMS Common Cartridge" || schema == "IMS Thin Common Cartridge"
	return isCartridge && slices.ContainsFunc([]string{"1.1", "1.2", "1.3"}, func(v string) bool {
		return version == v || strings.HasPrefix(version, v+".")
	})
}

// walk adds items, in their order. folders are the titles of the folders around them. Items that
// follow one another in a folder are a chapter.
func (c *cartridge) walk(folders []string, items []item) error {
	isOpen := false // the last chapter is that of this folder
	for _, it := range items {
		if err := c.budget.Steps(1); err != nil {
			return c.spent(err)
		}
		switch res := c.resources[it.ref]; {
		case it.ref == "":
		case c.isQuiz(res):
			isAdded, err := c.quiz(folders, it, res)
			if err != nil {
				return err
			}
			isOpen = isOpen && !isAdded // a quiz is a chapter
		default:
			l, isRead, err := c.lecture(it)
			if err == nil && isRead {
				err = c.add(l, c.chapterTitle(folders), &isOpen)
			}
			if err != nil {
				return err
			}
		}
		if len(it.items) > 0 {
			inner := folders
			if it.title != "" {
				inner = append(slices.Clone(folders), it.title)
			}
			before := len(c.course.Chapters)
			if err := c.walk(inner, it.items); err != nil {
				return err
			}
			isOpen = isOpen && len(c.course.Chapters) == before
		}
	}
	return nil
}

// add adds a lecture to the last chapter if that is open, or else to a new one with a title.
func (c *cartridge) add(l coursepackage.Lecture, title string, isOpen *bool) error {
	if c.lectures++; c.lectures > c.MaxLectures {
		return refuse(fmt.Sprintf("it has more than %d lectures: split the course", c.MaxLectures))
	}
	if !*isOpen {
		c.course.Chapters = append(c.course.Chapters, coursepackage.Chapter{Title: title})
	}
	last := &c.course.Chapters[len(c.course.Chapters)-1]
	last.Lectures, *isOpen = append(last.Lectures, l), true
	return nil
}

// chapterTitle returns the title of the chapter of a folder.
func (c *cartridge) chapterTitle(folders []string) string {
	if len(folders) == 0 {
		return c.course.Title
	}
	return text(strings.Join(folders, " – "), maxTitle)
}

// skip notes that something is not imported.
func (c *cartridge) skip(what, why string) {
	if len(c.skipped) == maxSkipped {
		c.more++
		return
	}
	c.skipped = append(c.skipped, coursepackage.Skipped{What: what, Why: why})
}

// allSkipped returns what is not imported.
func (c *cartridge) allSkipped() []coursepackage.Skipped {
	if n := len(c.unpublished); n > 0 {
		const shown = 5
		names := strings.Join(c.unpublished[:min(n, shown)], ", ")
		if n > shown {
			names += fmt.Sprintf(" and %s", counted(n-shown, "other part"))
		}
		c.skip("that these are not published: "+names, "they are in the course like all others: "+
			"remove what students must not see")
	}
	if c.more > 0 {
		c.skipped = append(c.skipped, coursepackage.Skipped{
			What: counted(c.more, "other part"), Why: "for such reasons"})
	}
	return c.skipped
}

// failure returns why a part is skipped that cannot be read because of err. Any other error ends
// the import: that of the context.
func failure(err error) (why string, _ error) {
	if refused, isRefused := errors.AsType[*safexml.Error](err); isRefused {
		return "it " + refused.Reason, nil
	}
	if errors.Is(err, safezip.ErrDamaged) {
		return "its file in the zip is damaged", nil
	}
	if refused, isRefused := errors.AsType[*safezip.Error](err); isRefused {
		return refused.Reason, nil
	}
	if errors.Is(err, budget.ErrSpent) {
		return "the pages, quizzes and other documents are too large together: split the course", nil
	}
	return "", err
}

// spent returns the error of a manifest with too many items.
func (c *cartridge) spent(err error) error {
	if errors.Is(err, budget.ErrSpent) {
		return refuse("it has too many items: split the course")
	}
	return err
}

// text returns a text on one line without outer space, cut to a length.
func text(s string, longest int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > longest {
		s = string([]rune(s)[:longest])
	}
	return s
}

// counted returns a number with a noun.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// named returns a name for a message.
func named(name string) string { return fmt.Sprintf("%q", text(name, maxTitle)) }
