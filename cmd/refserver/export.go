package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/people"
)

type exportCommand struct {
	User   string `arg:"" name:"user-id" help:"Id of the user at the identity provider."`
	Output string `short:"o" placeholder:"FILE" help:"The file; default the standard output."`
}

// Run writes everything that the platform stores about a user, as GET /api/user/export answers it.
func (c exportCommand) Run(ctx context.Context, p *program) error {
	return p.onSystem(ctx, func(system learning.System) error {
		err := c.export(ctx, p, system)
		if errors.Is(err, people.ErrUserNotFound) {
			return fmt.Errorf("there is no user %q in this database: give the id at the identity "+
				"provider, and the --database of the server; of a user who was deleted there is "+
				"nothing to export", c.User)
		}
		return err
	})
}

// export writes the data of the user to the file of the flag, or else to the standard output.
func (c exportCommand) export(ctx context.Context, p *program, system learning.System) error {
	export, err := system.Export(ctx, c.User)
	if err != nil {
		return err
	}
	if c.Output != "" {
		return replaceFile(c.Output,
			func(w io.Writer) error { return httpapi.WriteExport(ctx, w, export) })
	}
	if err := httpapi.WriteExport(ctx, p.stdout, export); err != nil {
		return fmt.Errorf("what was written is not whole, run it again: %w", err)
	}
	return nil
}

// replaceFile writes a file that only its owner may read. If write fails, an existing file stays as
// it is.
func replaceFile(name string, write func(io.Writer) error) (err error) {
	// with the mode 0600
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if err != nil {
		return fmt.Errorf("write %s: give the name of a file in a folder that can be written to: "+
			"%w", name, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	// The file is complete and on the disk before it gets its name.
	buffer := bufio.NewWriter(file)
	err = write(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), name)
	}
	// A user who is deleted during write is no problem of the file.
	if err != nil && !errors.Is(err, people.ErrUserNotFound) {
		err = fmt.Errorf("write %s: %w", name, err)
	}
	return err
}
