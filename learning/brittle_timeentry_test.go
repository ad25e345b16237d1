package learning_test

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

func (r brittleReader) PlacesOfDay(ctx context.Context, e learning.TimeEntry) (int, bool, error) {
	if err := r.b.step("PlacesOfDay"); err != nil {
		return 0, false, err
	}
	return r.Reader.PlacesOfDay(ctx, e)
}

func (r brittleReader) TimeByPlace(ctx context.Context, userID string) ([]learning.TimeEntry, error) {
	return read(r.b, "TimeByPlace", func() ([]learning.TimeEntry, error) { return r.Reader.TimeByPlace(ctx, userID) })
}

func (t *brittleTx) InsertTimeEntry(ctx context.Context, e learning.TimeEntry) error {
	return t.write("InsertTimeEntry", func() error { return t.tx.InsertTimeEntry(ctx, e) })
}

func (t *brittleTx) AddTime(ctx context.Context, e learning.TimeEntry) (bool, error) {
	return read(t.b, "AddTime", func() (bool, error) { return t.tx.AddTime(ctx, e) })
}

func (t *brittleTx) DeleteTimeEntries(ctx context.Context, userID string) error {
	return t.write("DeleteTimeEntries", func() error { return t.tx.DeleteTimeEntries(ctx, userID) })
}
