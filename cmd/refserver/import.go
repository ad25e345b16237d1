package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/exchange"
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
	file, err := exchange.ParseCatalogue(data)
	if err != nil {
		return fmt.Errorf("nothing was imported from %s:\n%w", c.File, err)
	}
	// A picture goes to the media folder or bucket.
	return p.onMedia(ctx, func(platform *learning.Platform, _ *store.Store) error {
		done, err := platform.System().ImportCatalogue(ctx, file, exchange.CatalogueFiles{
			FS: besideFile(c.File), Picture: defaultPicture})
		// Print the counts also with an error, because other courses may have been imported.
		fmt.Fprintf(p.stdout, "%d courses imported, %d were there already\n", done.Added,
			done.Existing)
		p.printSkipped(done.Skipped)
		return err
	})
}

// besideFile is the path of a catalogue: its files have paths relative to its folder. Unlike
// [os.DirFS] it opens files outside of the folder too, because the operator has written the paths.
type besideFile string

// Open implements [fs.FS].
func (f besideFile) Open(name string) (fs.File, error) {
	return os.Open(filepath.Join(filepath.Dir(string(f)), filepath.FromSlash(name)))
}
