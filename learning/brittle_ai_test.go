package learning_test

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

func (r brittleReader) AIClaims(ctx context.Context, name string) ([]learning.AIClaim, error) {
	return read(r.b, "AIClaims", func() ([]learning.AIClaim, error) { return r.Reader.AIClaims(ctx, name) })
}

func (t *brittleTx) InsertAIClaim(ctx context.Context, c learning.AIClaim) error {
	return t.write("InsertAIClaim", func() error { return t.tx.InsertAIClaim(ctx, c) })
}

func (t *brittleTx) DeleteAIClaim(ctx context.Context, c learning.AIClaim) (bool, error) {
	return read(t.b, "DeleteAIClaim", func() (bool, error) { return t.tx.DeleteAIClaim(ctx, c) })
}

func (t *brittleTx) InsertAIUsage(ctx context.Context, userID, day string, u learning.AIUsage) error {
	return t.write("InsertAIUsage", func() error { return t.tx.InsertAIUsage(ctx, userID, day, u) })
}

func (t *brittleTx) AddAIUsage(ctx context.Context, userID, day string, u learning.AIUsage) (bool, error) {
	return read(t.b, "AddAIUsage", func() (bool, error) { return t.tx.AddAIUsage(ctx, userID, day, u) })
}
