package exchange

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// CoursePackage is a course as a zip (docs/packages.md): its texts, quizzes, files and thumbnail,
// without ids, people and times, so that a course which was imported has the same package. It is
// read when it is written, so that one of any size needs little memory.
type CoursePackage struct {
	Name string // of the file, such as sailing.zip
	Size int64  // of all entries together, in bytes

	description []byte
	thumbnail   packagedImage
	files       []file.File // in the order of their entries
	open        func(ctx context.Context, name string) (io.ReadCloser, error)
}

// packagedImage is the thumbnail in a package; zero for none.
type packagedImage struct {
	path string
	data []byte
}

// ExportCourse returns the package of a course, published or not, for its educator and admins.
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [catalog.ErrCourseNotFound],
// [catalog.ErrCourseChanged] if the course changes all the time while it is read,
// [ErrPackageTooLarge].
func (s *Service) ExportCourse(
	ctx context.Context, actor core.Actor, courseID string,
) (*CoursePackage, error) {
	c, err := s.catalog.ForRooms().Editable(ctx, actor, courseID)
	if err != nil {
		return nil, err
	}
	return s.exportCourse(ctx, c)
}

// ExportCourse returns the package of a course. Errors: those of [Service.ExportCourse] that
// do not concern the actor.
func (s System) ExportCourse(
	ctx context.Context, courseID string,
) (*CoursePackage, error) {
	c, err := s.service.store.Course(ctx, courseID)
	if errors.Is(err, core.ErrNoRecord) {
		return nil, catalog.ErrCourseNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read a course: %w", err)
	}
	return s.service.exportCourse(ctx, c)
}

// exportCourse returns the package of a course. One that is edited while it is read is read again,
// so that all parts belong together.
func (s *Service) exportCourse(ctx context.Context, c catalog.Course) (*CoursePackage, error) {
	const attempts = 3
	for range attempts {
		export, err := s.packageOf(ctx, c)
		if err != nil {
			return nil, err
		}
		after, err := s.store.Course(ctx, c.ID)
		if errors.Is(err, core.ErrNoRecord) { // deleted meanwhile
			return nil, catalog.ErrCourseNotFound
		}
		if err != nil {
			return nil, fmt.Errorf("read a course: %w", err)
		}
		if after.Version == c.Version {
			return export, nil
		}
		c = after
	}
	return nil, catalog.ErrCourseChanged
}

// packageOf returns the package of a course. Error: [ErrPackageTooLarge].
func (s *Service) packageOf(ctx context.Context, c catalog.Course) (*CoursePackage, error) {
	// Read all parts but the contents of the files.
	content, err := catalog.ContentOf(ctx, s.store, c.ID)
	if err != nil {
		return nil, err
	}
	files, texts, err := s.catalog.ForRooms().MaterialOf(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	quizzes, err := s.assess.ForRooms().QuizzesOf(ctx, c.ID)
	if err != nil {
		return nil, fmt.Errorf("read the quizzes of a course: %w", err)
	}
	image, err := s.packagedThumbnail(ctx, c.Thumbnail)
	if err != nil {
		return nil, err
	}

	// Describe the course. Its files have the order of their entries.
	course := describe(c, content, texts, files)
	course.Price.Currency, course.Thumbnail = s.currency, image.path
	for _, q := range quizzes {
		i := slices.IndexFunc(content, func(ch catalog.Chapter) bool { return ch.ID == q.ChapterID })
		if i >= 0 { // else the chapter was removed meanwhile
			course.Chapters[i].Quiz = describeQuiz(q)
		}
	}
	export := &CoursePackage{Name: text.Slug(c.Title) + ".zip", thumbnail: image,
		Size: int64(len(image.data))}
	for _, f := range files {
		export.files = append(export.files, f)
		export.Size += f.Size
	}
	slices.SortFunc(export.files,
		func(x, y file.File) int { return cmp.Compare(packagedPath(x), packagedPath(y)) })
	for _, f := range export.files {
		course.Files = append(course.Files,
			coursepackage.File{Path: packagedPath(f), Name: f.Name})
	}

	// No package is larger than one that can be imported.
	export.description, err = coursepackage.Encode(course)
	if err != nil {
		return nil, err
	}
	export.Size += int64(len(export.description))
	if export.Size > MaxPackage || len(export.files)+2 > MaxPackageEntries ||
		len(export.description) > coursepackage.MaxSize || len(image.data) > maxPackageImage {
		return nil, ErrPackageTooLarge
	}
	if s.files.ForRooms().HasFileStore() {
		export.open = s.files.ForRooms().OpenStored
	} else if len(export.files) > 0 {
		return nil, file.ErrFilesNotConfigured
	}
	return export, nil
}

// packagedThumbnail reads the thumbnail of a course. It is zero if the media store does not have
// it, or cannot be read.
func (s *Service) packagedThumbnail(ctx context.Context, name string) (packagedImage, error) {
	in, err := s.files.ForRooms().OpenMedia(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return packagedImage{}, nil
	}
	if err != nil {
		return packagedImage{}, fmt.Errorf("open a thumbnail: %w", err)
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxPackageImage+1))
	if err != nil {
		return packagedImage{}, fmt.Errorf("read a thumbnail: %w", err)
	}
	return packagedImage{"thumbnail" + path.Ext(name), data}, nil
}

// describe returns the description of a course, without its quizzes and the list of its files.
func describe(
	c catalog.Course, content []catalog.Chapter, texts map[string]string,
	files map[string]file.File,
) coursepackage.Course {
	entry := func(fileID string) string {
		if f, isUsed := files[fileID]; isUsed {
			return packagedPath(f)
		}
		return ""
	}
	course := coursepackage.Course{Title: c.Title, Description: c.Description,
		Price: coursepackage.Price{Amount: int64(c.Price)}, Discount: int64(c.Discount),
		Metadata: c.Metadata, Terms: describeTerms(c.Terms), Prices: describePrices(c.Prices),
		Chapters: make([]coursepackage.Chapter, len(content)), Files: []coursepackage.File{}}
	for i, ch := range content {
		lectures := make([]coursepackage.Lecture, len(ch.Lectures))
		for j, l := range ch.Lectures {
			described := coursepackage.Lecture{Title: l.Title, Order: l.Order, Minutes: l.Minutes,
				PreviewFree: l.PreviewFree, Kind: string(l.Kind), URL: l.URL,
				File: entry(l.FileID), Text: texts[l.ID]}
			for _, caption := range l.Captions {
				described.Captions = append(described.Captions, coursepackage.Caption{
					Language: caption.Language, Label: caption.Label, File: entry(caption.FileID)})
			}
			for _, a := range l.Attachments {
				described.Attachments = append(described.Attachments,
					coursepackage.Attachment{Title: a.Title, File: entry(a.FileID)})
			}
			if l.Assignment != nil {
				described.Assignment = describeAssignment(*l.Assignment)
			}
			lectures[j] = described
		}
		course.Chapters[i] = coursepackage.Chapter{Title: ch.Title, Order: ch.Order,
			Lectures: lectures, Opens: describeOpening(ch.Opens)}
	}
	return course
}

// describeAssignment returns the description of an assignment.
func describeAssignment(a catalog.Assignment) *coursepackage.Assignment {
	described := &coursepackage.Assignment{Instructions: a.Instructions,
		Rubric: []coursepackage.Criterion{}, DueAfterDays: a.DueAfterDays, DueAt: a.DueAt,
		LateDays: a.LateDays, Attempts: a.Attempts, Files: a.Files}
	for _, c := range a.Rubric {
		described.Rubric = append(described.Rubric, coursepackage.Criterion(c))
	}
	return described
}

// packagedTime is the time of all entries, so that the same course has the same package.
var packagedTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Write writes the zip. If it returns an error, what was written is not whole. Entries are not
// compressed: most files are already, and compressed bytes could differ between two versions of the
// program.
func (c *CoursePackage) Write(ctx context.Context, w io.Writer) error {
	out := zip.NewWriter(w)
	add := func(name string) (io.Writer, error) {
		return out.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store,
			Modified: packagedTime})
	}
	entry, err := add(coursepackage.Name)
	if err == nil {
		_, err = entry.Write(c.description)
	}
	if err == nil && c.thumbnail.path != "" {
		if entry, err = add(c.thumbnail.path); err == nil {
			_, err = entry.Write(c.thumbnail.data)
		}
	}
	for _, f := range c.files {
		if err != nil {
			break
		}
		if entry, err = add(packagedPath(f)); err == nil {
			err = c.copyFile(ctx, entry, f)
		}
	}
	if err == nil {
		err = out.Close()
	}
	return core.Wrap("write the package of a course", err)
}

// copyFile copies the content of a file.
func (c *CoursePackage) copyFile(ctx context.Context, to io.Writer, f file.File) error {
	in, err := c.open(ctx, f.StoredName)
	if err != nil {
		return fmt.Errorf("open a file: %w", err)
	}
	defer in.Close()
	n, err := io.Copy(to, in)
	if err == nil && n != f.Size {
		err = fmt.Errorf("the file %s has %d bytes instead of %d", f.ID, n, f.Size)
	}
	return err
}
