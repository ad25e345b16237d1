package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/store"
)

type importCommand struct {
	File string `arg:"" help:"JSON in the form of cmd/refserver/demo/catalogue.json."`
}

// Run imports the courses that the database does not have.
func (c importCommand) Run(ctx context.Context, p *program) error {
	// Nothing is written unless the whole file is valid.
	data, err := os.ReadFile(c.File)
	if err != nil {
		return fmt.Errorf("read the catalogue: %w", err)
	}
	file, err := parseCatalogue(data)
	if err != nil {
		return fmt.Errorf("nothing was imported from %s:\n%w", c.File, err)
	}
	// A picture goes to the media folder or bucket.
	return p.onMedia(ctx, func(platform *learning.Platform, st *store.Store) error {
		dir := filepath.Dir(c.File)
		in := importer{courses: st, platform: platform, dir: dir,
			open: func(name string) (io.ReadCloser, error) {
				return os.Open(filepath.Join(dir, filepath.FromSlash(name)))
			}}
		added, existing, err := in.importAll(ctx, file)
		// Print the counts also with an error, because other courses may have been imported.
		fmt.Fprintf(p.stdout, "%d courses imported, %d were there already\n", added, existing)
		return err
	})
}

// importer imports a catalogue into a platform.
type importer struct {
	courses  learning.Reader
	platform *learning.Platform
	dir      string // base of the paths of pictures
	// opens a file of a lecture by its path in the catalogue
	open func(name string) (io.ReadCloser, error)
}

// importAll imports missing users and courses. It returns how many courses it has added and how
// many existed, also with an error. It skips courses whose educator or picture is missing, and
// others that fail; the error names them all.
func (in importer) importAll(ctx context.Context, file catalogue) (added, existing int, err error) {
	// Courses refer to their educators, so users come first.
	for _, p := range file.People {
		if err := in.createUser(ctx, p); err != nil {
			return 0, 0, fmt.Errorf("%vperson %s: %w", p.at, p.ID, err)
		}
	}
	// A course that fails does not stop the others, unless the operator does.
	var wrong []error
	for _, c := range file.Courses {
		switch isNew, err := in.addCourse(ctx, c); {
		case ctx.Err() != nil:
			return added, existing, errors.Join(append(wrong, ctx.Err())...)
		case err != nil:
			wrong = append(wrong, fmt.Errorf("%vcourse %s: %w", c.at, c.ID, err))
		case isNew:
			added++
		default:
			existing++
		}
	}
	return added, existing, errors.Join(wrong...)
}

// createUser creates the record of a user who has none. The event has a time long ago, so
// that every event of the identity provider replaces it.
func (in importer) createUser(ctx context.Context, p person) error {
	_, err := in.platform.People.User(ctx, people.Claims{UserID: p.ID})
	if !errors.Is(err, people.ErrUserNotFound) {
		return err
	}
	return in.platform.System().ApplyIdentityEvent(ctx, people.IdentityEvent{
		Type: people.UserCreated,
		User: people.IdentityUser{
			ID: p.ID, FirstName: p.FirstName, LastName: p.LastName, ImageURL: p.ImageURL,
			Emails: []people.IdentityEmail{{Address: p.Email}}, UpdatedAt: time.Unix(1, 0),
		},
	})
}

// addCourse creates a course unless it exists, and reports whether it has created it. It returns an
// error if there is no such educator, or if the picture cannot be used.
func (in importer) addCourse(ctx context.Context, c course) (bool, error) {
	// An existing course is left as it is.
	_, err := in.courses.Course(ctx, c.ID)
	if !errors.Is(err, core.ErrNoRecord) {
		return false, err
	}
	// The educator must exist, with a name for the course.
	educator, err := in.platform.People.User(ctx, people.Claims{UserID: c.Educator})
	if errors.Is(err, people.ErrUserNotFound) {
		return false, fmt.Errorf("educatorId %q: there is no such user; add the user to people, "+
			"or wait for the identity provider's event", c.Educator)
	}
	if err != nil {
		return false, err
	}
	// Read the picture, and create the course with it as the educator would.
	picture, err := in.picture(c)
	if err != nil {
		return false, err
	}
	actor := learning.Actor{UserID: c.Educator, Role: core.Educator, Name: educator.Name}
	n, err := in.withFiles(ctx, actor, c)
	if err != nil {
		return false, err
	}
	_, err = in.platform.Catalog.AddCourse(ctx, actor, n, picture)
	switch {
	case errors.Is(err, core.ErrDuplicate): // a concurrent import has created it
		return false, nil
	case errors.Is(err, catalog.ErrThumbnailRefused):
		return false, fmt.Errorf("courseThumbnail %s: %w", c.Thumbnail, err)
	}
	return err == nil, err
}

// withFiles returns the course with the files of its lectures, which it uploads as the educator
// would. If the course is not created, nothing uses them, and the platform removes them.
func (in importer) withFiles(
	ctx context.Context, actor learning.Actor, c course,
) (catalog.NewCourse, error) {
	var failed error
	upload := func(name string) (id string) {
		if name == "" || failed != nil {
			return ""
		}
		var f catalog.File
		content, err := in.open(name)
		if err == nil {
			f, err = in.platform.Catalog.UploadFile(ctx, actor, path.Base(name), content)
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

// picture returns the thumbnail of a course, or a default picture if it names none.
func (in importer) picture(c course) ([]byte, error) {
	if c.Thumbnail == "" {
		return defaultPicture(pictures, c.ID)
	}
	file := filepath.Join(in.dir, filepath.FromSlash(c.Thumbnail))
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("courseThumbnail: %w", err)
	}
	if info.Size() > catalog.MaxThumbnail { // before it is read, because it may be huge
		return nil, fmt.Errorf("courseThumbnail %s: %w", c.Thumbnail, catalog.ErrThumbnailRefused)
	}
	return os.ReadFile(file)
}
