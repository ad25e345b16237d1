package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/openlectern/openlectern/learning"
)

type reconcileCommand struct {
	RefundsOf time.Duration `placeholder:"AGE" help:"Also ask for the refunds of every purchase that is not older than this, such as 4320h."`
}

// Run reconciles once and prints the counts.
func (c reconcileCommand) Run(ctx context.Context, p *program) error {
	if err := p.check((*Settings).checkDatabase, (*Settings).checkCurrency, (*Settings).checkGateway, (*Settings).checkEvents); err != nil {
		return err
	}
	isSandbox := !p.Gateway.set()
	if err := p.useRunningSandbox(!isSandbox); err != nil {
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
	err = c.reconcile(ctx, p, platform.System())
	if isSandbox && errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("the sandbox does not answer at http://%s: start the server in another terminal (%s), "+
			"with the same --database and --sandbox-addr:\n%w", p.sandboxAddr, p.name, err)
	}
	return err
}

// reconcile reconciles as the servers do, and asks for the refunds of older purchases, if the
// operator wants that.
func (c reconcileCommand) reconcile(ctx context.Context, p *program, system learning.System) error {
	found, err := system.ReconcilePurchases(ctx)
	fmt.Fprintf(p.stdout, "%d orders checked, %d purchases completed\n", found.Checked, found.Completed)
	if found.CheckedRefunds > 0 {
		fmt.Fprintf(p.stdout, "%d refunds checked, %d decided\n", found.CheckedRefunds, found.DecidedRefunds)
	}
	if found.FoundRefunds > 0 {
		fmt.Fprintf(p.stdout, "%d refunds found that were not reported\n", found.FoundRefunds)
	}
	if c.RefundsOf <= 0 || err != nil {
		return err
	}
	found, err = system.ReconcileRefunds(ctx, time.Now().Add(-c.RefundsOf))
	fmt.Fprintf(p.stdout, "%d payments asked for refunds, %d found that were not reported\n", found.CheckedPayments, found.FoundRefunds)
	return err
}
