package learning_test

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

func (r faultyReader) AILeases(ctx context.Context, name string) ([]learning.AILease, error) {
	return read(r.b, "AILeases", func() ([]learning.AILease, error) { return r.Reader.AILeases(ctx, name) })
}

func (t *faultyTx) InsertAILease(ctx context.Context, c learning.AILease) error {
	return t.write("InsertAILease", func() error { return t.tx.InsertAILease(ctx, c) })
}

func (t *faultyTx) DeleteAILease(ctx context.Context, c learning.AILease) (bool, error) {
	return read(t.b, "DeleteAILease", func() (bool, error) { return t.tx.DeleteAILease(ctx, c) })
}

func (t *faultyTx) InsertAIUsage(ctx context.Context, userID, day string, u learning.AIUsage) error {
	return t.write("InsertAIUsage", func() error { return t.tx.InsertAIUsage(ctx, userID, day, u) })
}

func (t *faultyTx) AddAIUsage(ctx context.Context, userID, day string, u learning.AIUsage) (bool, error) {
	return read(t.b, "AddAIUsage", func() (bool, error) { return t.tx.AddAIUsage(ctx, userID, day, u) })
}
