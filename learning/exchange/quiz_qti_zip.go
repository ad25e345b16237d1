package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/packagekind"
	"github.com/openlectern/openlectern/internal/qti"
	"github.com/openlectern/openlectern/internal/safexml"
	"github.com/openlectern/openlectern/internal/safezip"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// maxQuizTexts is the size of all documents of a quiz that is sent as a zip, in bytes.
const maxQuizTexts = 4 * MaxQuizFile

// readQuizFile reads the quiz of a QTI 1.2 file, or of a zip that holds one. Its refusals are of
// type [*core.ImportError].
func readQuizFile(b *budget.Budget, content []byte) (qti.Assessment, error) {
	if packagekind.OfContent(content) == packagekind.Zip {
		archive, err := safezip.Open(bytes.NewReader(content), int64(len(content)), packageLimits)
		if err == nil {
			return readQuizZip(b, archive)
		}
		return qti.Assessment{}, quizFailure(err)
	}
	if err := b.Text(int64(len(content))); err != nil {
		return qti.Assessment{}, quizFailure(err)
	}
	a, err := qti.Read(b, content)
	return a, quizFailure(err)
}

// quizFailure returns the error of a caller for one of a file with a quiz.
func quizFailure(err error) error {
	if refused, isRefused := errors.AsType[*safexml.Error](err); isRefused {
		return refuseQuiz("the file %s", refused.Reason)
	}
	if refused, isRefused := errors.AsType[*safezip.Error](err); isRefused {
		return refuseQuiz("the zip cannot be read: %s", refused.Reason)
	}
	if errors.Is(err, budget.ErrSpent) {
		return refuseQuiz("the documents in the zip are too large: send the QTI 1.2 file by itself")
	}
	return core.Wrap("read a quiz", err)
}

func refuseQuiz(format string, args ...any) error {
	return &core.ImportError{Failure: ErrQuizFileRefused, Reason: fmt.Sprintf(format, args...)}
}

// quizZip is a zip that holds a quiz.
type quizZip struct {
	b       *budget.Budget
	archive *safezip.Archive
	banks   []*safezip.File
}

// readQuizZip reads the quiz of a zip that holds one, with what Canvas has beside it: settings, and
// banks from which questions are drawn.
func readQuizZip(b *budget.Budget, archive *safezip.Archive) (qti.Assessment, error) {
	z := &quizZip{b: b, archive: archive}
	kind := packagekind.OfArchive(archive)
	if kind == packagekind.Course || kind == packagekind.Cartridge && z.hasLectures() {
		return qti.Assessment{}, refuseQuiz("the zip %s", kind.ForQuiz())
	}

	// Choose the document.
	quizzes := z.quizzes()
	if len(quizzes) == 0 {
		quizzes = z.banks // a bank of questions is a quiz where there is no other
	}
	switch {
	case len(quizzes) == 0:
		if kind == packagekind.Cartridge || kind == packagekind.Quiz {
			kind = packagekind.Zip
		}
		return qti.Assessment{}, refuseQuiz("the zip %s", kind.ForQuiz())
	case len(quizzes) > 1:
		names := []string{}
		for _, f := range quizzes[:min(len(quizzes), 3)] {
			names = append(names, text.Truncate(f.Name, 60))
		}
		return qti.Assessment{}, refuseQuiz("the zip holds %d quizzes, such as %s: send one of these "+
			"files, or a zip that holds one quiz", len(quizzes), strings.Join(names, ", "))
	}

	// Read it, and its settings.
	data, err := z.read(quizzes[0])
	if err != nil {
		return qti.Assessment{}, quizFailure(err)
	}
	a, err := qti.Reader{Bank: z.bank}.Read(b, data)
	if err != nil {
		return qti.Assessment{}, quizFailure(err)
	}
	if f := z.settings(quizzes[0].Name); f != nil {
		data, err := z.read(f)
		if err != nil {
			return qti.Assessment{}, quizFailure(err)
		}
		settings, err := qti.CanvasSettings(b, data)
		if _, isRefused := errors.AsType[*safexml.Error](err); err != nil && !isRefused {
			return qti.Assessment{}, quizFailure(err)
		}
		settings.Apply(&a) // what could not be read is not set
	}
	return a, nil
}

// hasLectures reports whether a cartridge has files that are no quizzes, so that it is a course.
func (z *quizZip) hasLectures() bool {
	return slices.ContainsFunc(z.archive.Files(), func(f *safezip.File) bool {
		switch strings.ToLower(path.Ext(f.Name)) {
		case ".html", ".htm", ".xhtml", ".pdf", ".mp4", ".mp3", ".docx", ".pptx":
			return true
		}
		return false
	})
}

// canvasFolder is where Canvas has quizzes in its own form, beside those in the form of a Common
// Cartridge.
const canvasFolder = "non_cc_assessments/"

// quizzes returns the documents of quizzes, those of Canvas in place of the common ones, and notes
// the banks of questions.
func (z *quizZip) quizzes() (list []*safezip.File) {
	isRicher := map[string]bool{}
	for _, f := range packagekind.Quizzes(z.archive) {
		if packagekind.IsBank(f) {
			z.banks = append(z.banks, f)
			continue
		}
		list = append(list, f)
		if id, isCanvas := strings.CutPrefix(f.Name, canvasFolder); isCanvas {
			isRicher[strings.TrimSuffix(id, ".xml.qti")] = true
		}
	}
	return slices.DeleteFunc(list, func(f *safezip.File) bool {
		return isRicher[strings.TrimSuffix(path.Dir(f.Name), "/")]
	})
}

// bank returns the document of a bank of questions, or nil if the zip has none with the id.
func (z *quizZip) bank(id string) ([]byte, error) {
	for _, f := range z.banks {
		name, _, _ := strings.Cut(path.Base(f.Name), ".")
		if id != "" && name == id {
			return z.read(f)
		}
	}
	return nil, nil
}

// settings returns the settings that Canvas has of the quiz of a document; nil if there are none.
func (z *quizZip) settings(document string) *safezip.File {
	const name = "assessment_meta.xml"
	if id, isCanvas := strings.CutPrefix(document, canvasFolder); isCanvas {
		return z.archive.File(path.Join(strings.TrimSuffix(id, ".xml.qti"), name))
	}
	return z.archive.File(path.Join(path.Dir(document), name))
}

// read returns the content of a document.
func (z *quizZip) read(f *safezip.File) ([]byte, error) {
	if err := z.b.Text(f.Size); err != nil {
		return nil, err
	}
	return f.ReadAll(safexml.MaxSize)
}
