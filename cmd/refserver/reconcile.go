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
	RefundsOf time.Duration `placeholder:"AGE" help:"Ask for all refunds up to this age: 4320h."`
}

// Run reconciles once and prints the counts.
func (c reconcileCommand) Run(ctx context.Context, p *program) error {
	if err := p.check((*Settings).checkDatabase, (*Settings).checkCurrency,
		(*Settings).checkGateway, (*Settings).checkStripe, (*Settings).checkEvents); err != nil {
		return err
	}
	// The sandbox is in the process of a running server; its file has the keys to call it.
	isSandbox := !p.production() && !p.Gateway.set()
	if err := p.useRunningSandbox(p.Gateway.set()); err != nil {
		return err
	}
	st, err := p.openStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	// The platform needs the payment providers and what it checks amounts with.
	payments, err := p.payments()
	if err != nil {
		return err
	}
	platform, err := p.newPlatform(st, append(payments, learning.WithCurrency(p.Currency),
		learning.WithProviderTimeout(providerTimeout))...)
	if err != nil {
		return err
	}
	err = c.reconcile(ctx, p, platform.System())
	if isSandbox && errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("the sandbox does not answer at http://%s: start the server in another "+
			"terminal (%s), with the same --database and --sandbox-addr:\n%w",
			p.sandboxAddr, p.name, err)
	}
	return err
}

// reconcile reconciles as the servers do, and asks for the refunds of older purchases, if the
// operator wants that.
func (c reconcileCommand) reconcile(ctx context.Context, p *program, system learning.System) error {
	// What was done before an error counts too, so print it first.
	found, err := system.ReconcilePurchases(ctx)
	fmt.Fprintf(p.stdout, "%d orders checked, %d purchases completed\n", found.Checked,
		found.Completed)
	if found.CheckedRefunds > 0 {
		fmt.Fprintf(p.stdout, "%d refunds checked, %d decided\n", found.CheckedRefunds,
			found.DecidedRefunds)
	}
	if found.FoundRefunds > 0 {
		fmt.Fprintf(p.stdout, "%d refunds found that were not reported\n", found.FoundRefunds)
	}
	if c.RefundsOf <= 0 || err != nil {
		return err
	}
	// Older refunds that nobody requested here are found only by asking for each payment.
	older, err := system.ReconcileRefunds(ctx, time.Now().Add(-c.RefundsOf))
	fmt.Fprintf(p.stdout, "%d payments asked for refunds, %d found that were not reported\n",
		older.CheckedPayments, older.FoundRefunds)
	return err
}
