package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/internal/schedule"
)

const (
	// recountAfter is the time between the start of an instance and its first recount.
	recountAfter = 5 * time.Minute
	// recountEvery is the interval of recounts, and recountAgain the one after a recount that has
	// found a wrong total, because an older version that keeps no totals may still run.
	recountEvery = 24 * time.Hour
	recountAgain = time.Hour

	// totalsSweep is the name of the sweep that each correction moves.
	totalsSweep = "totals"
	// recountTries limits how often the totals of a kind are compared if others correct them, and
	// recountPart is the number of totals that one statement corrects.
	recountTries = 10
	recountPart  = 500
)

// RunTotals calls [System.RecountTotals] about five minutes after the start and then about once a
// day until ctx is done, and logs an error for each total that was wrong. During an upgrade totals
// are wrong, because the version before does not keep them; RunTotals then compares them again
// after an hour. If several instances run it on one database, one of them works at a time.
func (s System) RunTotals(ctx context.Context) {
	p := s.platform
	schedule.New(p.leases, "totals", recountEvery, p.recountUntilRight).Loop(ctx, recountAfter)
}

// recountUntilRight recounts until a recount finds no wrong total.
func (p *Platform) recountUntilRight(ctx context.Context) error {
	for {
		corrected, err := p.recountTotals(ctx)
		for _, t := range corrected {
			p.log.ErrorContext(ctx, "total was wrong and is corrected", "kind", string(t.Kind), "course", t.CourseID, "part", t.Part,
				"number", t.Number, "amount", t.Amount)
		}
		if err != nil || len(corrected) == 0 {
			return err
		}
		if err := backoff.Sleep(ctx, recountAgain); err != nil {
			return err
		}
	}
}

// RecountTotals compares all totals with the rows that they count, corrects those that are wrong,
// and returns what it has added to them. It locks no rows while it counts, so that it may run
// beside any operation. It is safe for concurrent use, also in several processes.
func (s System) RecountTotals(ctx context.Context) (corrected []Total, err error) {
	return s.platform.recountTotals(ctx)
}

func (p *Platform) recountTotals(ctx context.Context) (corrected []Total, err error) {
	for _, kind := range TotalKinds {
		added, err := p.recountKind(ctx, kind)
		corrected = append(corrected, added...)
		if err != nil {
			return corrected, fmt.Errorf("recount the total of %s: %w", kind, err)
		}
	}
	return corrected, nil
}

// recountKind corrects the totals of a kind.
//
// The difference between totals and rows is read in one statement, so that it sees a transaction
// that changes both either completely or not at all: the difference is what transactions that do
// not keep totals have left, whatever others do at the same time, and is right to add later. Of two
// recounts that have read the same difference, only one may add it: the one that moves the sweep,
// which both have read before.
func (p *Platform) recountKind(ctx context.Context, kind TotalKind) ([]Total, error) {
	for range recountTries {
		from, err := p.totalsSweep(ctx)
		if err != nil {
			return nil, err
		}
		wrong, err := p.store.WrongTotals(ctx, kind)
		if err != nil || len(wrong) == 0 {
			return nil, err
		}
		to := Sweep{Name: totalsSweep, StartedAt: p.now(), After: Position{At: p.now(), ID: p.newID()}}
		moved := false
		err = p.store.InTx(ctx, func(tx Tx) error {
			if moved, err = tx.MoveSweep(ctx, from, to); err != nil || !moved {
				return err
			}
			for part := range slices.Chunk(wrong, recountPart) {
				if err := tx.AddToTotals(ctx, to.After.ID, part); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || moved {
			return wrong, err
		}
	}
	return nil, errors.New("other recounts correct it at the same time")
}

// totalsSweep reads the sweep of totals, and inserts it before the first recount.
func (p *Platform) totalsSweep(ctx context.Context) (Sweep, error) {
	s, err := p.store.Sweep(ctx, totalsSweep)
	if !errors.Is(err, ErrNoRecord) {
		return s, err
	}
	s = Sweep{Name: totalsSweep, StartedAt: p.now(), After: Position{At: p.now(), ID: p.newID()}}
	err = p.store.InTx(ctx, func(tx Tx) error { return tx.InsertSweep(ctx, s) })
	if errors.Is(err, ErrDuplicate) {
		return p.store.Sweep(ctx, totalsSweep)
	}
	return s, err
}
