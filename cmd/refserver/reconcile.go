package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/learning"
)

// reconcileEvery is the interval at which a server in production asks the gateway about
// unpaid orders. It varies by a fifth, so that several servers do not ask at the same time.
const reconcileEvery = 5 * time.Minute

type reconcileCommand struct{}

// Run reconciles once and prints the counts.
func (reconcileCommand) Run(ctx context.Context, p *program) error {
	if err := p.check((*Settings).checkDatabase, (*Settings).checkCurrency, (*Settings).checkGateway, (*Settings).checkEvents); err != nil {
		return err
	}
	if err := p.useRunningSandbox(p.Gateway.set()); err != nil {
		return err
	}
	st, err := p.openStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	payments, err := p.newGateway()
	if err != nil {
		return err
	}
	platform, err := p.newPlatform(st, learning.WithGateway(payments), learning.WithCurrency(p.Currency),
		learning.WithProviderTimeout(providerTimeout))
	if err != nil {
		return err
	}
	found, err := platform.System().ReconcilePurchases(ctx)
	fmt.Fprintf(p.stdout, "%d orders checked, %d purchases completed\n", found.Checked, found.Completed)
	return err
}

// reconcileRegularly reconciles every reconcileEvery until ctx is done.
func (p *program) reconcileRegularly(ctx context.Context, platform *learning.Platform) {
	for backoff.Sleep(ctx, reconcileEvery*4/5+rand.N(reconcileEvery*2/5)) == nil {
		found, err := platform.System().ReconcilePurchases(ctx)
		if err != nil && ctx.Err() == nil {
			p.log.Error("reconcile", "checked", found.Checked, "completed", found.Completed, "error", err)
			continue
		}
		p.log.Info("reconcile", "checked", found.Checked, "completed", found.Completed)
	}
}
