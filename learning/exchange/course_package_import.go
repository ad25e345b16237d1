package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/cartridge"
	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/internal/packagekind"
	"github.com/openlectern/openlectern/internal/safezip"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// ImportedCourse is what an import has made.
type ImportedCourse struct {
	CourseID string
	Chapters int
	Lectures int
	Files    int // that the lectures use
	Quizzes  int
	Skipped  []SkippedPart
}

// ImportCourse adds the course of a package as a draft of the actor, with ids and files of its own.
// The package is a zip of size bytes: one of [Service.ExportCourse], or an IMS Common Cartridge
// 1.1, 1.2 or 1.3. It reads content at any place, and holds a bounded part of it in memory. An
// import that fails leaves nothing; if the process is killed, the files are removed as those that
// nothing uses.
//
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [file.ErrMediaNotConfigured],
// [file.ErrFilesNotConfigured] for a package with files, [ErrImportRunning],
// [file.ErrStorageFull], [file.ErrNoSpace], [file.ErrThumbnailBusy], and
// [core.ImportError], which wraps [ErrPackageRefused] and has the reason.
func (s *Service) ImportCourse(
	ctx context.Context, actor core.Actor, content io.ReaderAt, size int64,
) (imported ImportedCourse, err error) {
	if err := actor.RequireRole(core.Educator); err != nil {
		return ImportedCourse{}, err
	}
	if !s.files.ForRooms().HasMedia() {
		return ImportedCourse{}, file.ErrMediaNotConfigured
	}
	err = s.oneImport(ctx, actor, func(ctx context.Context) (err error) {
		imported, err = s.importCourse(ctx, actor, content, size)
		return err
	})
	return imported, err
}

// importLease is the length of the lease under which a user imports a package or a quiz. It is
// extended meanwhile, so that after a crash the user can import again soon.
const importLease = 30 * time.Second

// oneImport calls work, unless another import of the actor runs on any instance: then it returns
// [ErrImportRunning]. The context of work ends if the lease is lost.
func (s *Service) oneImport(
	ctx context.Context, actor core.Actor, work func(ctx context.Context) error,
) error {
	l := s.base.Leases.NewRenewed("import:"+actor.UserID, importLease)
	err := lease.Run(ctx, l, importLease, work)
	if errors.Is(err, lease.ErrHeld) {
		err = ErrImportRunning
	}
	return err
}

// importCourse is [Service.ImportCourse] for an actor who may import, without another import.
func (s *Service) importCourse(
	ctx context.Context, actor core.Actor, content io.ReaderAt, size int64,
) (ImportedCourse, error) {
	// Read what the package has, and refuse it as a whole before any file is stored.
	in, err := s.openPackage(ctx, content, size)
	if err == nil {
		err = in.check(ctx, actor)
	}
	if err != nil {
		return ImportedCourse{}, packageFailure(err)
	}
	if !s.files.ForRooms().HasFileStore() && len(filePaths(in.course)) > 0 {
		return ImportedCourse{}, file.ErrFilesNotConfigured
	}

	// Store the files and the thumbnail, and then the course, in one transaction.
	imported, err := in.store(ctx, actor)
	if err != nil {
		in.discard(ctx, err)
		return ImportedCourse{}, core.Wrap("import a course", packageFailure(err))
	}
	return imported, nil
}

// packageFailure returns the error of a caller for one of an import.
func packageFailure(err error) error {
	if refused, isRefused := errors.AsType[*safezip.Error](err); isRefused {
		return &core.ImportError{Failure: ErrPackageRefused, Reason: refused.Reason}
	}
	if errors.Is(err, file.ErrThumbnailRefused) {
		return &core.ImportError{Failure: ErrPackageRefused,
			Reason: "its thumbnail is no JPEG, PNG or WebP image that can be used: replace it"}
	}
	return err
}

func refusePackage(format string, args ...any) error {
	return &safezip.Error{Reason: fmt.Sprintf(format, args...)}
}

// packageImport is the import of a package.
type packageImport struct {
	service     *Service
	archive     *safezip.Archive
	course      coursepackage.Course
	isCartridge bool
	skipped     []coursepackage.Skipped

	files     map[string]file.File // by their entries
	added     map[string]file.File // by id, those that the owner did not have
	thumbnail string               // in the media store
}

// openPackage reads the description of a course in a zip. A refusal is a [*safezip.Error].
func (s *Service) openPackage(
	ctx context.Context, content io.ReaderAt, size int64,
) (*packageImport, error) {
	archive, err := openArchive(content, size)
	if err != nil {
		return nil, err
	}
	b := budget.New(ctx, MaxPackageTexts)
	in := &packageImport{service: s, archive: archive, files: map[string]file.File{},
		added: map[string]file.File{}}
	in.isCartridge = archive.File(coursepackage.Name) == nil && archive.File(cartridge.Name) != nil
	if in.isCartridge {
		reader := cartridge.Reader{
			MaxText:         catalog.MaxLectureText,
			MaxInstructions: catalog.MaxInstructions,
			MaxTexts:        catalog.MaxCourseText,
			MaxAttachments:  catalog.MaxAttachments,
			MaxLectures:     catalog.MaxLectures,
			Now:             s.base.Now(),
			IsEmbed:         s.catalog.ForRooms().IsEmbedURL,
		}
		in.course, in.skipped, err = reader.Read(b, archive)
		if errors.Is(err, cartridge.ErrNoCartridge) {
			err = cmp.Or(otherKind(archive), err)
		}
		if err == nil {
			in.fitCartridge()
		}
		return in, err
	}
	if archive.File(coursepackage.Name) == nil {
		if err := otherKind(archive); err != nil {
			return nil, err
		}
	}
	if in.course, err = coursepackage.Read(b, archive, packageLists); err != nil {
		return nil, err
	}

	// What this platform cannot have is left out.
	in.fitPrices()
	in.dropLectures(func(l coursepackage.Lecture) string {
		if catalog.LectureKind(l.Kind) == catalog.KindEmbed && text.IsWebURL(l.URL) &&
			!s.catalog.ForRooms().IsEmbedURL(l.URL) {
			return "this platform does not embed pages of its site"
		}
		return ""
	})
	return in, nil
}

// openArchive opens the zip of a course package or a cartridge. Its refusals name other kinds of
// files, and say what to do with them.
func openArchive(content io.ReaderAt, size int64) (*safezip.Archive, error) {
	head := make([]byte, packagekind.HeadSize)
	n, err := content.ReadAt(head[:min(size, packagekind.HeadSize)], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read a package: %w", err)
	}
	if kind := packagekind.OfContent(head[:n]); kind != packagekind.Zip {
		if reason := kind.ForCourse(); reason != "" {
			return nil, refusePackage("it %s", reason)
		}
	}
	archive, err := safezip.Open(content, size, packageLimits)
	if err != nil {
		return nil, err
	}

	// Programs that pack a folder often put the folder around all files.
	return archive.WithoutFolder(coursepackage.Name, cartridge.Name), nil
}

// otherKind returns the refusal of a zip that is something else than a course by what it is; nil if
// that is not known.
func otherKind(archive *safezip.Archive) error {
	if files := archive.Files(); len(files) == 1 {
		switch name := files[0].Name; strings.ToLower(path.Ext(name)) {
		case ".zip", ".imscc":
			return refusePackage("it is a zip around the file %q: unpack it, and send that file",
				text.Truncate(name, file.MaxFileName))
		}
	}
	if reason := packagekind.OfArchive(archive).ForCourse(); reason != "" {
		return refusePackage("it %s", reason)
	}
	return nil
}

// skip notes that a part is not imported.
func (in *packageImport) skip(what, why string) {
	in.skipped = append(in.skipped, coursepackage.Skipped{What: what, Why: why})
}

// dropLectures removes the lectures for which why returns a reason.
func (in *packageImport) dropLectures(why func(coursepackage.Lecture) string) {
	for i := range in.course.Chapters {
		ch := &in.course.Chapters[i]
		ch.Lectures = slices.DeleteFunc(ch.Lectures, func(l coursepackage.Lecture) bool {
			reason := why(l)
			if reason != "" {
				in.skip(fmt.Sprintf("lecture %q", text.Truncate(l.Title, catalog.MaxCourseTitle)),
					reason)
			}
			return reason != ""
		})
	}
}

// check refuses a course that cannot be stored. It does not look at the contents of the files.
func (in *packageImport) check(ctx context.Context, actor core.Actor) error {
	for _, path := range filePaths(in.course) {
		if in.archive.File(path) == nil {
			return refusePackage("it does not have the file %q, which a lecture names: add it",
				text.Truncate(path, file.MaxFileName))
		}
		in.files[path] = file.File{ID: in.service.base.NewID()} // until it is stored
	}
	if name := in.course.Thumbnail; name != "" && in.archive.File(name) == nil {
		return refusePackage("it does not have its thumbnail: add the file, or remove its name from " +
			"course.json")
	}
	for _, ch := range in.course.Chapters {
		if err := ctx.Err(); err != nil { // many quizzes take long
			return err
		}
		if ch.Quiz == nil {
			continue
		}
		if _, err := in.quiz(*ch.Quiz); err != nil {
			return refusePackage("the quiz of the chapter %q is not valid: correct it as "+
				"docs/packages.md describes it", text.Truncate(ch.Title, catalog.MaxCourseTitle))
		}
	}
	if _, _, err := in.build(ctx, actor); !errors.Is(err, core.ErrInvalidRequest) {
		return err
	}
	return in.whyInvalid()
}

// whyInvalid returns the refusal of a course that is not valid: it looks for the part that is not.
func (in *packageImport) whyInvalid() error {
	const advice = "correct it as docs/packages.md describes it"
	lectures := 0
	for _, ch := range in.course.Chapters {
		if !text.Is(ch.Title, 1, catalog.MaxCourseTitle) || ch.Order < 0 ||
			ch.Order > maxPackageOrder {
			return refusePackage("the chapter %q is not valid: %s", text.Truncate(ch.Title,
				catalog.MaxCourseTitle), advice)
		}
		for _, l := range ch.Lectures {
			lectures++
			isValid := in.service.catalog.ForRooms().IsValidLecture(in.lecture(l))
			if !isValid || l.Order < 0 || l.Order > maxPackageOrder {
				return refusePackage("the lecture %q is not valid: %s",
					text.Truncate(l.Title, catalog.MaxCourseTitle), advice)
			}
		}
	}
	if core.Metadata(in.course.Metadata).Check() != nil {
		return refusePackage("the metadata of the course is not valid: %s", advice)
	}
	if lectures > catalog.MaxLectures {
		return refusePackage("it has %d lectures that can be imported, and a course has at most %d of "+
			"them: split the course", lectures, catalog.MaxLectures)
	}
	if lectures < 1 {
		return refusePackage("it has 0 lectures that can be imported%s: add a page, a file, a link, an "+
			"assignment or a quiz", in.holds())
	}
	return refusePackage("the title, description, prices or discount of the course are not valid: %s",
		advice)
}

// holds says what a package has that cannot be imported, for a course of which nothing is left.
func (in *packageImport) holds() string {
	const shown = 3
	var parts []string
	for _, s := range in.skipped[:min(len(in.skipped), shown)] {
		parts = append(parts, s.What+", but "+s.Why)
	}
	if len(parts) == 0 {
		return ""
	}
	more := ""
	if n := len(in.skipped) - shown; n > 0 {
		more = fmt.Sprintf("; and %d other parts", n)
	}
	return " (it holds " + strings.Join(parts, "; ") + more + ")"
}

// build returns the course as it is stored, with its quizzes. It returns [core.ErrInvalidRequest]
// if it is not valid.
func (in *packageImport) build(
	ctx context.Context, actor core.Actor,
) (catalog.CourseWithContent, []assess.Quiz, error) {
	n := catalog.NewCourse{Title: in.course.Title, Description: in.course.Description,
		Price: core.Money(in.course.Price.Amount), Discount: core.Percent(in.course.Discount),
		Metadata: in.course.Metadata, Terms: describedTerms(in.course.Terms)}
	for _, p := range in.course.Prices {
		n.Prices = append(n.Prices, priceOf(p))
	}
	var quizzes []assess.Quiz
	for _, ch := range in.course.Chapters {
		if err := ctx.Err(); err != nil {
			return catalog.CourseWithContent{}, nil, err
		}
		if ch.Order < 0 || ch.Order > maxPackageOrder {
			return catalog.CourseWithContent{}, nil, core.ErrInvalidRequest
		}
		chapter := catalog.Chapter{ID: in.service.base.NewID(), Title: ch.Title, Order: ch.Order,
			Opens: describedOpening(ch.Opens)}
		for _, l := range ch.Lectures {
			if l.Order < 0 || l.Order > maxPackageOrder {
				return catalog.CourseWithContent{}, nil, core.ErrInvalidRequest
			}
			chapter.Lectures = append(chapter.Lectures, in.lecture(l))
		}
		n.Content = append(n.Content, chapter)
		if ch.Quiz != nil {
			quiz, err := in.quiz(*ch.Quiz)
			if err != nil {
				return catalog.CourseWithContent{}, nil, err
			}
			quiz.ChapterID, quiz.ChapterTitle, quiz.Version = chapter.ID, ch.Title, 1
			quizzes = append(quizzes, quiz)
		}
	}
	c, err := in.service.catalog.ForRooms().DraftCourse(actor, n)
	return c, quizzes, err
}

// lecture returns a lecture with the ids of its files.
func (in *packageImport) lecture(l coursepackage.Lecture) catalog.Lecture {
	built := catalog.Lecture{Title: l.Title, Order: l.Order, Minutes: l.Minutes, URL: l.URL,
		PreviewFree: l.PreviewFree, Kind: catalog.LectureKind(l.Kind), FileID: in.files[l.File].ID}
	for _, c := range l.Captions {
		built.Captions = append(built.Captions,
			catalog.Caption{Language: c.Language, Label: c.Label, FileID: in.files[c.File].ID})
	}
	for _, a := range l.Attachments {
		built.Attachments = append(built.Attachments,
			catalog.Attachment{Title: a.Title, FileID: in.files[a.File].ID})
	}
	if l.Text != "" {
		built.Text = &l.Text
	}
	if described := l.Assignment; described != nil {
		built.Assignment = &catalog.Assignment{Instructions: described.Instructions,
			DueAfterDays: described.DueAfterDays, DueAt: described.DueAt,
			LateDays: described.LateDays, Attempts: described.Attempts, Files: described.Files}
		for _, c := range described.Rubric {
			built.Assignment.Rubric = append(built.Assignment.Rubric, catalog.Criterion(c))
		}
	}
	return built
}

// skippedParts returns the first of many skipped parts, and how many others there are.
func skippedParts(list []coursepackage.Skipped) (parts []SkippedPart) {
	for i, part := range list {
		if i == maxSkipped {
			return append(parts, SkippedPart{
				What: fmt.Sprintf("%d other parts", len(list)-i), Why: "for such reasons"})
		}
		parts = append(parts, SkippedPart(part))
	}
	return parts
}
