package main

import (
	"context"
	"fmt"

	"github.com/openlectern/openlectern/learning"
)

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
	if found.CheckedRefunds > 0 {
		fmt.Fprintf(p.stdout, "%d refunds checked, %d decided\n", found.CheckedRefunds, found.DecidedRefunds)
	}
	return err
}
