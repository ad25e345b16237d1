package main

import (
	"context"
	"errors"
	"fmt"
)

type migrateCommand struct {
	Print bool `help:"Print the SQL of the migrations that the database lacks, and change nothing."`
	All   bool `help:"With --print: the SQL of all migrations, without the database."`
}

// Run applies the migrations that the database lacks. The serve command does so too; this
// command allows migrating before a new version is started.
func (c migrateCommand) Run(ctx context.Context, p *program) error {
	if err := p.check((*Settings).checkDatabase); err != nil {
		return err
	}
	switch {
	case c.Print:
		return p.printMigrations(ctx, c.All)
	case c.All:
		return errors.New("--all is a flag of --print")
	}
	st, err := p.migratedStore(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, "The tables are up to date.")
	return st.Close()
}
