package learning_test

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning"
)

func (r faultyReader) Application(ctx context.Context, id string) (learning.Application, error) {
	return read(r.b, "Application", func() (learning.Application, error) { return r.Reader.Application(ctx, id) })
}

func (r faultyReader) ApplicationOf(ctx context.Context, userID string) (learning.Application, error) {
	return read(r.b, "ApplicationOf", func() (learning.Application, error) { return r.Reader.ApplicationOf(ctx, userID) })
}

func (t *faultyTx) InsertApplication(ctx context.Context, a learning.Application) error {
	return t.write("InsertApplication", func() error { return t.tx.InsertApplication(ctx, a) })
}

func (t *faultyTx) ResubmitApplication(ctx context.Context, a learning.Application) (bool, error) {
	return read(t.b, "ResubmitApplication", func() (bool, error) { return t.tx.ResubmitApplication(ctx, a) })
}

func (t *faultyTx) ClaimApplication(ctx context.Context, a learning.Application, oldHolder string, at time.Time) (bool, error) {
	return read(t.b, "ClaimApplication", func() (bool, error) { return t.tx.ClaimApplication(ctx, a, oldHolder, at) })
}

func (t *faultyTx) EndApplicationClaim(ctx context.Context, id, holder string, at time.Time) error {
	return t.write("EndApplicationClaim", func() error { return t.tx.EndApplicationClaim(ctx, id, holder, at) })
}

func (t *faultyTx) DecideApplication(ctx context.Context, a learning.Application) (bool, error) {
	return read(t.b, "DecideApplication", func() (bool, error) { return t.tx.DecideApplication(ctx, a) })
}

func (t *faultyTx) DeleteApplication(ctx context.Context, userID string) error {
	return t.write("DeleteApplication", func() error { return t.tx.DeleteApplication(ctx, userID) })
}
