package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/store"
)

type packageCommand struct {
	Export packageExportCommand `cmd:"" help:"Write a course as a package."`
	Import packageImportCommand `cmd:"" help:"Import a package as a draft of an educator."`
}

type packageExportCommand struct {
	Course string `arg:"" name:"course-id" help:"Id of the course."`
	File   string `arg:"" help:"The file, such as course.zip; one that exists is replaced."`
}

type packageImportCommand struct {
	File  string `arg:"" help:"A package, or an IMS Common Cartridge 1.1, 1.2 or 1.3."`
	Owner string `required:"" placeholder:"USER_ID" help:"The educator who gets the course."`
}

// Run writes the package of a course to a file.
func (c packageExportCommand) Run(ctx context.Context, p *program) error {
	return p.onMedia(ctx, func(platform *learning.Platform, _ *store.Store) error {
		export, err := platform.System().ExportCourse(ctx, c.Course)
		if errors.Is(err, catalog.ErrCourseNotFound) {
			return fmt.Errorf("there is no course %q in this database: give the id as the course's "+
				"URL has it, and the --database of the server", c.Course)
		}
		if err != nil {
			return fmt.Errorf("export the course: %w", err)
		}
		shown := p.newProgress("exporting", export.Size)
		defer shown.end()
		err = replaceFile(c.File, func(w io.Writer) error {
			return export.Write(ctx, progressWriter{w, shown})
		})
		if err != nil {
			return err
		}
		shown.end()
		fmt.Fprintf(p.stdout, "wrote %s, %d bytes\n", c.File, export.Size)
		return nil
	})
}

// Run imports a package, and prints what was imported and what was not.
func (c packageImportCommand) Run(ctx context.Context, p *program) error {
	archive, err := os.Open(c.File)
	if err != nil {
		return fmt.Errorf("read the package: %w", err)
	}
	defer archive.Close()
	info, err := archive.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file: give the name of the zip")
	}
	if err != nil {
		return fmt.Errorf("read the package: %w", err)
	}
	return p.onMedia(ctx, func(platform *learning.Platform, _ *store.Store) error {
		owner, err := platform.People.User(ctx, people.Claims{UserID: c.Owner})
		if errors.Is(err, people.ErrUserNotFound) {
			return fmt.Errorf("there is no user %q in this database: give the id at the identity "+
				"provider, and the --database of the server", c.Owner)
		}
		if err != nil {
			return err
		}
		shown := p.newProgress("importing", info.Size())
		defer shown.end()
		imported, err := platform.Exchange.ImportCourse(ctx,
			learning.Actor{UserID: c.Owner, Role: core.Educator, Name: owner.Name},
			progressReader{archive, shown}, info.Size())
		shown.end()
		if errors.Is(err, file.ErrFilesNotConfigured) {
			return fmt.Errorf("the package has files, and there is no place for them: set %s",
				variable("files-secret"))
		}
		if err != nil {
			return err
		}
		p.printImported(imported)
		return nil
	})
}

// printImported prints what an import has made.
func (p *program) printImported(c exchange.ImportedCourse) {
	fmt.Fprintf(p.stdout, "imported the draft %s: chapters: %d, lectures: %d, files: %d, quizzes: %d\n",
		c.CourseID, c.Chapters, c.Lectures, c.Files, c.Quizzes)
	p.printSkipped(c.Skipped)
}

// printSkipped prints what an import has left out.
func (p *program) printSkipped(parts []exchange.SkippedPart) {
	for _, s := range parts {
		fmt.Fprintf(p.stdout, "not imported: %s: %s\n", s.What, s.Why)
	}
}

// onMedia checks the settings that it needs, and calls do with a platform on their database and
// media, with the payment providers, which say which prices a course can have, and without the
// other providers. It also gives do the store of the platform. It migrates the database, and closes
// all afterwards.
func (p *program) onMedia(
	ctx context.Context, do func(platform *learning.Platform, st *store.Store) error,
) error {
	if err := p.check((*Settings).checkDatabase, (*Settings).checkMedia, (*Settings).checkFiles,
		(*Settings).checkCurrency, (*Settings).checkEvents); err != nil {
		return err
	}
	st, err := p.migratedStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	images, err := p.newMedia(ctx)
	if err != nil {
		return err
	}
	defer images.Close()
	files, err := p.newFiles(images)
	if err != nil {
		return err
	}
	if files != nil {
		defer files.Close()
	}
	options, err := p.fileOptions(files)
	if err != nil {
		return err
	}
	payments, err := p.priceOptions()
	if err != nil {
		return err
	}
	options = slices.Concat(options, payments,
		[]learning.Option{learning.WithMedia(images), learning.WithCurrency(p.Currency)})
	platform, err := p.newPlatform(st, options...)
	if err != nil {
		return err
	}
	return do(platform, st)
}
