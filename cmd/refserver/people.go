package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/exchange"
)

type peopleCommand struct {
	Import peopleImportCommand `cmd:"" help:"Import people; repeating it is safe."`
}

type peopleImportCommand struct {
	File        string            `arg:"" help:"CSV or JSON lines: docs/people.md."`
	DryRun      bool              `help:"Check the file and count what would be stored."`
	SkipInvalid bool              `help:"Leave out the rows with faults, and import the others."`
	Tell        bool              `help:"Write the events of what is stored."`
	Columns     map[string]string `placeholder:"FIELD=COLUMN;..." help:"Names in the file."`
	Set         map[string]string `placeholder:"FIELD=VALUE;..." help:"Values for all rows."`
}

// maxFaultsShown is how many faults a command prints. The others are counted.
const maxFaultsShown = 100

// Run imports the people and their history that the database does not have.
func (c peopleImportCommand) Run(ctx context.Context, p *program) error {
	// Read the whole file. Rows with faults are reported with those that the platform finds.
	file, err := os.Open(c.File)
	if err != nil {
		return fmt.Errorf("read the people: %w", err)
	}
	defer file.Close()
	people, err := exchange.ParsePeople(file,
		exchange.PeopleFormat{Columns: c.Columns, Set: c.Set})
	if err != nil {
		return fmt.Errorf("nothing was imported from %s: %w", c.File, err)
	}

	// Import it, with a line that shows how far it is.
	if err := p.check((*Settings).checkDatabase, (*Settings).checkCurrency,
		(*Settings).checkEvents); err != nil {
		return err
	}
	st, err := p.migratedStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	platform, err := p.newPlatform(st, learning.WithCurrency(p.Currency))
	if err != nil {
		return err
	}
	shown := p.newProgress("importing", int64(len(people.Rows)))
	defer shown.end()
	last := 0
	result, err := platform.System().ImportPeople(ctx, people, exchange.PeopleOptions{
		DryRun: c.DryRun, SkipInvalid: c.SkipInvalid, Tell: c.Tell,
		Progress: func(done, _ int) {
			shown.add(done - last)
			last = done
		}})
	shown.end()

	// Print what was done, also with an error, because batches before it are stored.
	isStored := err == nil || len(result.Added) > 0
	for i, f := range result.Faults {
		if i == maxFaultsShown {
			fmt.Fprintf(p.stderr, "and %d more\n", len(result.Faults)-i)
			break
		}
		fmt.Fprintln(p.stderr, f.Error())
	}
	if isStored {
		c.print(p, result)
	}
	if len(result.Faults) > 0 && !c.SkipInvalid {
		return errors.New("nothing was imported: correct the rows above, or leave them out with " +
			"--skip-invalid")
	}
	return err
}

// print prints the numbers of rows by kind.
func (c peopleImportCommand) print(p *program, result exchange.PeopleImport) {
	verb := "imported"
	if c.DryRun {
		verb = "would be imported"
	}
	for _, kind := range exchange.PeopleKinds {
		if added, existing := result.Added[kind], result.Existing[kind]; added+existing > 0 {
			fmt.Fprintf(p.stdout, "%s: %d %s, %d were there already\n", kind, added, verb, existing)
		}
	}
	if n := len(result.Faults); n > 0 {
		fmt.Fprintf(p.stdout, "rows that were left out: %d\n", n)
	}
}
