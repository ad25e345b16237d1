package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/people"
)

// CatalogueFiles is where an import finds what a [Catalogue] names.
type CatalogueFiles struct {
	// FS has the pictures and the files of lectures, by their paths in the catalogue; nil for none.
	FS fs.FS
	// Picture returns a picture for a course that names none. If it is nil, such a course is
	// refused.
	Picture func(courseID string) ([]byte, error)
}

// CatalogueImport says what [System.ImportCatalogue] has done.
type CatalogueImport struct {
	Added    int // courses
	Existing int // courses that were there before, and stay as they are
	// Skipped are the prices of added courses that no payment provider of the platform takes.
	Skipped []SkippedPart
}

// ImportCatalogue adds the users and the courses of a catalogue that the platform does not have, so
// that the same catalogue again changes nothing. If a value is invalid, nothing is imported; the
// error is as that of [ParseCatalogue]. Else a course whose educator or file is missing is skipped,
// as are others that fail: the error has a line for each of them, and the result counts what was
// imported all the same. It needs the media store, and the file store if a lecture names a file.
func (s System) ImportCatalogue(
	ctx context.Context, c Catalogue, files CatalogueFiles,
) (CatalogueImport, error) {
	var done CatalogueImport
	if err := c.check(s.service.currency); err != nil {
		return done, err
	}
	in := catalogueImport{service: s.service, files: files}

	// Courses refer to their educators, so users come first.
	for _, p := range c.People {
		if err := in.createUser(ctx, p); err != nil {
			return done, fmt.Errorf("%vperson %s: %w", p.at, p.ID, err)
		}
	}

	// A course that fails does not stop the others, unless the caller does.
	var wrong []error
	for _, c := range c.Courses {
		switch isNew, skipped, err := in.addCourse(ctx, c); {
		case ctx.Err() != nil:
			return done, errors.Join(append(wrong, ctx.Err())...)
		case err != nil:
			wrong = append(wrong, fmt.Errorf("%vcourse %s: %w", c.at, c.ID, err))
		case isNew:
			done.Added++
			done.Skipped = append(done.Skipped, skipped...)
		default:
			done.Existing++
		}
	}
	return done, errors.Join(wrong...)
}

// catalogueImport is an import that runs.
type catalogueImport struct {
	service *Service
	files   CatalogueFiles
}

// createUser creates the record of a user who has none. The event has a time long ago, so
// that every event of the identity provider replaces it.
func (in catalogueImport) createUser(ctx context.Context, p CataloguePerson) error {
	_, err := in.service.people.User(ctx, people.Claims{UserID: p.ID})
	if !errors.Is(err, people.ErrUserNotFound) {
		return err
	}
	return in.service.people.System().ApplyIdentityEvent(ctx, people.IdentityEvent{
		Type: people.UserCreated,
		User: people.IdentityUser{
			ID: p.ID, FirstName: p.FirstName, LastName: p.LastName, ImageURL: p.ImageURL,
			Emails: []people.IdentityEmail{{Address: p.Email}}, UpdatedAt: longAgo,
		},
	})
}

// addCourse creates a course unless it exists, and reports whether it has created it, and without
// which of its prices. It returns an error if there is no such educator, or if the picture cannot
// be used.
func (in catalogueImport) addCourse(
	ctx context.Context, c CatalogueCourse,
) (isNew bool, skipped []SkippedPart, err error) {
	// An existing course is left as it is.
	_, err = in.service.store.Course(ctx, c.ID)
	if !errors.Is(err, core.ErrNoRecord) {
		return false, nil, err
	}

	// The educator must exist, with a name for the course.
	educator, err := in.service.people.User(ctx, people.Claims{UserID: c.Educator})
	if errors.Is(err, people.ErrUserNotFound) {
		return false, nil, fmt.Errorf("educatorId %q: there is no such user; add the user to people, "+
			"or wait for the identity provider's event", c.Educator)
	}
	if err != nil {
		return false, nil, err
	}

	// Read the picture, and create the course with it as the educator would.
	picture, err := in.picture(c)
	if err != nil {
		return false, nil, err
	}
	actor := core.Actor{UserID: c.Educator, Role: core.Educator, Name: educator.Name}
	n, err := in.withFiles(ctx, actor, c)
	if err != nil {
		return false, nil, err
	}
	n.Prices, skipped = in.payable(n)
	_, err = in.service.catalog.AddCourse(ctx, actor, n, picture)
	switch {
	case errors.Is(err, core.ErrDuplicate): // a concurrent import has created it
		return false, nil, nil
	case errors.Is(err, file.ErrThumbnailRefused):
		return false, nil, fmt.Errorf("courseThumbnail %s: %w", c.Thumbnail, err)
	}
	return err == nil, skipped, err
}

// payable returns the prices of a course in other currencies that this platform can have, and names
// the others.
func (in catalogueImport) payable(n catalog.NewCourse) (prices []catalog.Price, _ []SkippedPart) {
	var skipped []SkippedPart
	for _, p := range n.Prices {
		if in.service.catalog.ForRooms().CanCost(p, n.Discount) {
			prices = append(prices, p)
			continue
		}
		part := skippedPrice(p)
		part.What += " of the course " + n.ID
		skipped = append(skipped, part)
	}
	return prices, skipped
}

// withFiles returns the course with the files of its lectures, which it uploads as the educator
// would. If the course is not created, nothing uses them, and the platform removes them.
func (in catalogueImport) withFiles(
	ctx context.Context, actor core.Actor, c CatalogueCourse,
) (catalog.NewCourse, error) {
	var failed error
	upload := func(name string) (id string) {
		if name == "" || failed != nil {
			return ""
		}
		var f file.File
		content, err := in.open(name)
		if err == nil {
			f, err = in.service.files.UploadFile(ctx, actor, path.Base(name), content)
			err = errors.Join(err, content.Close())
		}
		if err != nil {
			failed = fmt.Errorf("file %s: %w", name, err)
		}
		return f.ID
	}

	n := c.newCourse()
	for i, ch := range c.Content {
		for j, l := range ch.Lectures {
			made := &n.Content[i].Lectures[j]
			made.FileID = upload(l.File)
			for _, caption := range l.Captions {
				made.Captions = append(made.Captions, catalog.Caption{
					Language: caption.Language, Label: caption.Label,
					FileID: upload(caption.File)})
			}
			for _, a := range l.Attachments {
				made.Attachments = append(made.Attachments,
					catalog.Attachment{Title: a.Title, FileID: upload(a.File)})
			}
		}
	}
	return n, failed
}

// picture returns the thumbnail of a course.
func (in catalogueImport) picture(c CatalogueCourse) ([]byte, error) {
	switch {
	case c.Thumbnail == "" && in.files.Picture == nil:
		return nil, errors.New("courseThumbnail is missing")
	case c.Thumbnail == "":
		return in.files.Picture(c.ID)
	}
	image, err := in.open(c.Thumbnail)
	if err != nil {
		return nil, fmt.Errorf("courseThumbnail: %w", err)
	}
	defer image.Close()
	// Read no more than is needed to know that it is too large, because it may be huge.
	picture, err := io.ReadAll(io.LimitReader(image, file.MaxThumbnail+1))
	if err != nil {
		return nil, fmt.Errorf("courseThumbnail: %w", err)
	}
	if len(picture) > file.MaxThumbnail {
		return nil, fmt.Errorf("courseThumbnail %s: %w", c.Thumbnail, file.ErrThumbnailRefused)
	}
	return picture, nil
}

// open opens a file by its path in the catalogue.
func (in catalogueImport) open(name string) (fs.File, error) {
	if in.files.FS == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return in.files.FS.Open(name)
}
