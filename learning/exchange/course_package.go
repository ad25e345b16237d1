package exchange

import (
	"regexp"
	"strings"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/safejson"
	"github.com/openlectern/openlectern/internal/safezip"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// The public failures of course packages.
var (
	ErrImportRunning = &core.Error{Kind: core.Conflict, Code: "import_running",
		Message: "Your last import is still running"}
	ErrPackageRefused = &core.Error{Kind: core.Invalid, Code: "package_refused",
		Message: "This package cannot be imported"}
	ErrPackageTooLarge = &core.Error{Kind: core.TooLarge, Code: "package_too_large",
		Message: "This course is too large for a package"}
)

// Limits of a course package (docs/packages.md).
const (
	MaxPackage        = 5_000_000_000 // bytes, unpacked
	MaxPackageEntries = 10_000
	// MaxPackageRatio is how many times its own size a package may have when it is unpacked.
	MaxPackageRatio = 100
	// MaxPackageTexts is the size of all texts of a package together: course.json, or the manifest,
	// pages and quizzes of a cartridge.
	MaxPackageTexts = 96 << 20
	// maxPackageImage is the size of the largest thumbnail in a package, in bytes. It is larger
	// than an upload may be, because a PNG may grow when it is encoded anew.
	maxPackageImage = 16 << 20
	// maxPackageOrder is the largest place of a chapter or lecture, as in a request.
	maxPackageOrder = 1_000_000
	// maxPackagePrices is how many prices in other currencies a package has, as in a request.
	maxPackagePrices = 200
	// maxSkipped is how many skipped parts an import names.
	maxSkipped = 200
)

var packageLimits = safezip.Limits{
	Entries: MaxPackageEntries, Bytes: MaxPackage, Ratio: MaxPackageRatio,
}

// packageLists are the limits of the lists in course.json. They are checked before anything is
// built. A list that has none is bounded by the budget of the package.
var packageLists = []safejson.List{
	{Path: "prices", All: maxPackagePrices, Name: "prices",
		Advice: "a course has one in each currency"},
	{Path: "chapters", All: 50_000, Name: "chapters", Advice: "split the course"},
	{Path: "chapters.lectures", All: catalog.MaxLectures, Name: "lectures",
		Advice: "split the course"},
	{Path: "chapters.lectures.captions", Each: catalog.MaxCaptions, Name: "captions",
		Advice: "a lecture has at most that many"},
	{Path: "chapters.lectures.attachments", Each: catalog.MaxAttachments, Name: "attachments",
		Advice: "a lecture has at most that many"},
	{Path: "chapters.lectures.assignment.rubric", Each: catalog.MaxCriteria, Name: "criteria",
		Advice: "a rubric has at most that many"},
	{Path: "chapters.quiz.questions", Each: assess.MaxQuestionBank, Name: "questions",
		Advice: "split the quiz"},
	{Path: "chapters.quiz.questions.options", Each: assess.MaxOptions, Name: "options",
		Advice: "a question has at most that many"},
	{Path: "chapters.quiz.questions.answer", Each: max(assess.MaxOptions, assess.MaxAnswerTexts),
		Name: "right answers", Advice: "a question has at most that many"},
	{Path: "files", All: MaxPackageEntries, Name: "files", Advice: "split the course"},
}

// SkippedPart is a part of a package that was not imported.
type SkippedPart struct {
	What string // such as: quiz "Week 1" with 5 questions
	Why  string
}

// packagedExtension is the end of a file's name that its entry keeps.
var packagedExtension = regexp.MustCompile(`\.[a-z0-9]{1,5}$`)

// packagedPath returns the entry of a file in a package. It follows from the content, so that it is
// the same in every package.
func packagedPath(f file.File) string {
	return "files/" + f.SHA256 + packagedExtension.FindString(strings.ToLower(f.Name))
}

// filePaths returns the entries of the files that the lectures of a package name, each once.
func filePaths(c coursepackage.Course) []string {
	var paths []string
	isAdded := map[string]bool{"": true} // a lecture without a file
	add := func(path string) {
		if !isAdded[path] {
			isAdded[path] = true
			paths = append(paths, path)
		}
	}
	for _, ch := range c.Chapters {
		for _, l := range ch.Lectures {
			add(l.File)
			for _, caption := range l.Captions {
				add(caption.File)
			}
			for _, attachment := range l.Attachments {
				add(attachment.File)
			}
		}
	}
	return paths
}
