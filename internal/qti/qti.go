// Package qti writes and reads quizzes in the form of IMS QTI 1.2 as IMS Common Cartridges 1.1 to
// 1.3 have it. It also reads what common platforms add to that form. docs/packages.md says what the
// form cannot hold. It knows no rule of a quiz, and not how long its texts may be.
package qti

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/packagekind"
	"github.com/openlectern/openlectern/internal/safexml"
)

// The fields of the metadata of assessments and items that Write writes.
const (
	profileField   = "cc_profile"
	weightField    = "cc_weighting"
	timeField      = "qmd_timelimit"
	attemptsField  = "cc_maxattempts"
	generalComment = "general_fb"
)

const (
	// maxQuestions is how many questions are read, and maxItems how many items are looked at. Those
	// after them are counted only.
	maxQuestions = 500
	maxItems     = 1_000
	// maxBanks is how many banks a document may draw questions from.
	maxBanks = 50
)

// Assessment is a quiz that was read.
type Assessment struct {
	Title string
	// Quiz has questions by hand. Its settings have the time, the attempts, and how many questions
	// an attempt has; the other fields are not set.
	Quiz    coursepackage.Quiz
	Skipped []coursepackage.Skipped
}

// Reader reads quizzes.
type Reader struct {
	// Bank returns the document of the bank of questions with an id, whose bytes it has taken from
	// the budget, or nil if there is none. If Bank is nil, questions of banks are skipped.
	Bank func(id string) ([]byte, error)
}

// Read reads the first assessment of a document, or its questions if it has none. Its caller has
// taken the bytes of the document from the budget, and Read takes what else it needs. Its refusals
// are of type [*safexml.Error]; every other error is that of the context of the budget.
func Read(b *budget.Budget, data []byte) (Assessment, error) { return Reader{}.Read(b, data) }

// Read reads a document as [Read] does, with the questions of banks.
func (r Reader) Read(b *budget.Budget, data []byte) (Assessment, error) {
	in := &reading{Reader: r, b: b, lost: map[string]int{}, banks: map[string]bool{}}
	in.out.Quiz.Settings = &coursepackage.Settings{}
	err := in.document(data)
	if _, isRefused := errors.AsType[*safexml.Error](err); isRefused {
		return Assessment{}, named(data, err)
	}
	if err != nil {
		return Assessment{}, err
	}
	in.finish()
	return in.out, nil
}

// reading is the state of a document that is being read.
type reading struct {
	Reader
	b   *budget.Budget
	out Assessment
	err error // of the conversion of a text
	// unread is why a text of the item that is being read cannot be read, or "".
	unread string

	items    int            // that were found
	unnamed  int            // that were skipped without a line of their own
	lost     map[string]int // of how many questions a part is lost, by the reason
	banks    map[string]bool
	isRead   bool // an assessment was read
	sections []*section
	draws    []draw
}

// section is a section that is not closed.
type section struct {
	drawn     int    // how many of its questions an attempt has, or 0 for all
	points    string // of each of its questions, or ""
	questions int    // that were read before it
}

// draw is a section of which an attempt has some of the questions.
type draw struct{ drawn, of int }

// document reads a document: its containers are entered, and each item is built, read and dropped.
func (in *reading) document(data []byte) error {
	r, err := safexml.NewReader(in.b, data)
	if err != nil {
		return err
	}
	for depth, isEmpty := 0, true; ; {
		token, err := r.Token()
		if errors.Is(err, io.EOF) && isEmpty {
			return &safexml.Error{Reason: "is not valid XML (it has no element): export it anew"}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if isEmpty && !isRoot(t.Name.Local) {
				return &safexml.Error{Reason: "is no QTI 1.2: export the quiz in this form"}
			}
			isEmpty = false
			isOpen, err := in.element(r, t)
			if err == nil {
				err = in.err
			}
			if err != nil {
				return err
			}
			if isOpen {
				depth++
			}
		case xml.EndElement:
			depth--
			in.close(t.Name.Local)
		}
	}
}

// isRoot reports whether a document of QTI 1.2 may have the element as its first.
func isRoot(name string) bool {
	switch name {
	case "questestinterop", "assessment", "section", "objectbank", "item":
		return true
	}
	return false
}

// named returns the refusal of a document. That of another kind is refused by its name.
func named(data []byte, err error) error {
	kind := packagekind.OfContent(data)
	if reason := kind.ForQuiz(); reason != "" && kind != packagekind.XML {
		return &safexml.Error{Reason: reason}
	}
	return err
}

// element reads an element. isOpen is whether it is a container, whose elements follow.
func (in *reading) element(r *safexml.Reader, start xml.StartElement) (isOpen bool, err error) {
	switch name := start.Name.Local; name {
	case "questestinterop":
		return true, nil
	case "assessment":
		if in.isRead {
			in.lost[lostQuizzes]++
			return false, r.Skip()
		}
		in.isRead = true
		for _, a := range start.Attr {
			if a.Name.Local == "title" {
				in.out.Title = line(a.Value)
			}
		}
		return true, nil
	case "section", "objectbank":
		s := &section{questions: len(in.out.Quiz.Questions)}
		if len(in.sections) > 0 {
			s.points = in.sections[len(in.sections)-1].points
		}
		in.sections = append(in.sections, s)
		return true, nil
	case "item":
		if in.items++; in.items > maxItems || len(in.out.Quiz.Questions) >= maxQuestions {
			return false, r.Skip()
		}
		return false, in.build(r, start, in.item)
	case "itemref", "sectionref":
		in.lost[lostReferences]++
	case "qtimetadata", "duration", "assess_procextension", "selection_ordering", "rubric",
		"objectives", "presentation_material":
		return false, in.build(r, start, in.property)
	}
	return false, r.Skip()
}

// build builds an element, and drops it after it was read.
func (in *reading) build(
	r *safexml.Reader, start xml.StartElement, read func(e *safexml.Element) error,
) error {
	e, size, err := r.Element(start)
	if err == nil {
		err = read(e)
	}
	in.b.Free(size)
	return err
}

// close ends a container.
func (in *reading) close(name string) {
	if name != "section" && name != "objectbank" || len(in.sections) == 0 {
		return
	}
	last := len(in.sections) - 1
	s := in.sections[last]
	in.sections = in.sections[:last]
	if of := len(in.out.Quiz.Questions) - s.questions; s.drawn > 0 && s.drawn < of {
		in.draws = append(in.draws, draw{s.drawn, of})
	}
}

// item reads a question.
func (in *reading) item(e *safexml.Element) error {
	in.unread = ""
	it := in.parse(e)
	if in.unread != "" {
		in.skipItem(it, in.unread)
		return in.err
	}
	if len(in.sections) > 0 {
		it.sectionPoints = in.sections[len(in.sections)-1].points
	}
	questions, lost, why := it.questions(in)
	if why != "" {
		in.skipItem(it, why)
		return in.err
	}
	for _, reason := range lost {
		in.lost[reason]++
	}
	in.out.Quiz.Questions = append(in.out.Quiz.Questions, questions...)
	return in.err
}

// skipItem names an item that is not imported, by its kind and text.
func (in *reading) skipItem(it *item, why string) {
	const longest = 300
	if len(in.out.Skipped) >= longest {
		in.unnamed++
		return
	}
	what := fmt.Sprintf("question %d", in.items)
	if name := it.kind.named(); name != "" {
		what += ", " + name
	}
	if text := shortened(it.name()); text != "" {
		what += fmt.Sprintf(", %q", text)
	}
	in.skip(what, why)
}

func (in *reading) skip(what, why string) {
	in.out.Skipped = append(in.out.Skipped, coursepackage.Skipped{What: what, Why: why})
}

// bank reads the questions of a bank.
func (in *reading) bank(id string) error {
	if in.banks[id] {
		return nil
	}
	in.banks[id] = true
	if in.Bank == nil || len(in.banks) > maxBanks {
		in.lost[lostBanks]++
		return nil
	}
	data, err := in.Bank(id)
	if err != nil {
		return err
	}
	if data == nil {
		in.lost[lostBanks]++
		return nil
	}
	err = in.document(data)
	if _, isRefused := errors.AsType[*safexml.Error](err); isRefused {
		in.lost[lostBanks]++
		return nil
	}
	return err
}

// finish sets what is known when all of a document was read.
func (in *reading) finish() {
	questions := len(in.out.Quiz.Questions)
	if rest := in.items - maxItems; rest > 0 || questions >= maxQuestions {
		if questions > maxQuestions {
			in.out.Quiz.Questions = in.out.Quiz.Questions[:maxQuestions]
		}
		if in.items > maxQuestions || questions > maxQuestions {
			in.skip(fmt.Sprintf("the questions after the first %d", len(in.out.Quiz.Questions)),
				fmt.Sprintf("a quiz has at most %d questions: split it", maxQuestions))
		}
	}
	if in.unnamed > 0 {
		in.skip(fmt.Sprintf("%d other questions", in.unnamed), "for such reasons")
	}
	if len(in.draws) == 1 && in.draws[0].of == len(in.out.Quiz.Questions) {
		in.out.Quiz.Settings.Draw = in.draws[0].drawn
	} else if len(in.draws) > 0 {
		in.skip("the draw of questions by chance",
			"set in the quiz how many of its questions an attempt has")
	}
	for _, l := range losses {
		if n := in.lost[l.reason]; n > 0 {
			what := l.what
			if strings.Contains(what, "%d") {
				what = fmt.Sprintf(what, n)
			}
			in.skip(what, l.reason)
		}
	}
}
