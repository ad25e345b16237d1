package learning_test

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning"
)

func (r faultyReader) HasTimeDay(ctx context.Context, userID string, day time.Time) (bool, error) {
	return read(r.b, "HasTimeDay", func() (bool, error) { return r.Reader.HasTimeDay(ctx, userID, day) })
}

func (r faultyReader) TimeDayOf(ctx context.Context, e learning.TimeEntry) (learning.TimeDay, error) {
	return read(r.b, "TimeDayOf", func() (learning.TimeDay, error) { return r.Reader.TimeDayOf(ctx, e) })
}

func (t *faultyTx) InsertTimeDay(ctx context.Context, userID string, day time.Time) error {
	return t.write("InsertTimeDay", func() error { return t.tx.InsertTimeDay(ctx, userID, day) })
}

func (t *faultyTx) LockTimeDay(ctx context.Context, userID string, day time.Time) (bool, error) {
	return read(t.b, "LockTimeDay", func() (bool, error) { return t.tx.LockTimeDay(ctx, userID, day) })
}

func (r faultyReader) TimeByPlace(ctx context.Context, userID string) ([]learning.TimeEntry, error) {
	return read(r.b, "TimeByPlace", func() ([]learning.TimeEntry, error) { return r.Reader.TimeByPlace(ctx, userID) })
}

func (t *faultyTx) InsertTimeEntry(ctx context.Context, e learning.TimeEntry) error {
	return t.write("InsertTimeEntry", func() error { return t.tx.InsertTimeEntry(ctx, e) })
}

func (t *faultyTx) AddTime(ctx context.Context, e learning.TimeEntry) (bool, error) {
	return read(t.b, "AddTime", func() (bool, error) { return t.tx.AddTime(ctx, e) })
}

func (t *faultyTx) DeleteTimeEntries(ctx context.Context, userID string) error {
	return t.write("DeleteTimeEntries", func() error { return t.tx.DeleteTimeEntries(ctx, userID) })
}
