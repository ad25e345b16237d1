package main

import (
	"context"
	"fmt"
)

type migrateCommand struct{}

// Run applies the migrations that the database lacks. The serve command does so too; this
// command allows migrating before a new version is started.
func (migrateCommand) Run(ctx context.Context, p *program) error {
	if err := p.check((*Settings).checkDatabase); err != nil {
		return err
	}
	st, err := p.migratedStore(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, "The tables are up to date.")
	return st.Close()
}
