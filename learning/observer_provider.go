package learning

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/tutor"
)

// observeProviders makes the observer of a platform, if there is one, learn of each call of the
// payment providers, the AI, the port of the tax and the handlers of events, of each grant of a
// role, and of the changes and checks in the media store. It wraps these providers, so it is called
// once, after they are set.
func (p *Platform) observeProviders() {
	if p.base.Observer == nil {
		return
	}
	seen := providerObserver{p.base.Observer}
	for i, payments := range p.saleSettings.Providers {
		p.saleSettings.Providers[i].Provider = observedPayments{payments.Provider, seen}
	}
	if p.identity.Roles != nil {
		p.identity.Roles = observedRoles{p.identity.Roles, seen}
	}
	if _, isFixed := p.paperSettings.Tax.(papers.FixedTax); !isFixed {
		p.paperSettings.Tax = observedTax{p.paperSettings.Tax, seen}
	}
	if p.tutorSettings.AI != nil {
		p.tutorSettings.AI = observedAI{p.tutorSettings.AI, seen}
	}
	if p.fileSettings.Media != nil {
		p.fileSettings.Media = seen.media(p.fileSettings.Media)
	}
	if p.fileSettings.Files != nil {
		p.fileSettings.Files = observedFiles{p.fileSettings.Files, seen}
	}

	// The name of a target is a part of the name of its operation. t is a copy, with the handler of
	// the host.
	for i, t := range p.base.Events.Targets {
		p.base.Events.Targets[i].Handle = func(ctx context.Context, e outbox.Event) error {
			return seen.withoutUsage(ctx, "events."+t.Name,
				func(ctx context.Context) error { return t.Handle(ctx, e) })
		}
	}
}

// errPanicked is the error of a call that did not return.
var errPanicked = errors.New("learning: a provider panicked")

// providerObserver observes calls of providers.
type providerObserver struct{ core.Observer }

// call calls do as the operation with a name, and tells the observer its error and the tokens that
// it returns: those that a call to the AI has spent, or none. If do panics, the operation ends with
// errPanicked, and the panic continues.
func (o providerObserver) call(ctx context.Context, name string,
	do func(ctx context.Context) (core.AIUsage, error)) {
	ctx, end := o.Begin(ctx, core.Operation{Kind: core.OperationProvider, Name: name})
	out := core.Outcome{Err: errPanicked} // unless do returns
	defer func() { end(out) }()
	out.Usage, out.Err = do(ctx)
}

// withoutUsage calls do, a call of a provider that is not the AI, and returns its error.
func (o providerObserver) withoutUsage(ctx context.Context, name string,
	do func(ctx context.Context) error) (err error) {
	o.call(ctx, name, func(ctx context.Context) (core.AIUsage, error) {
		err = do(ctx)
		return core.AIUsage{}, err
	})
	return err
}

// observedPayments is a [payment.Provider] whose calls over the network are observed, as operations
// that begin with its name.
type observedPayments struct {
	payment.Provider
	seen providerObserver
}

func (p observedPayments) call(
	ctx context.Context, name string, do func(ctx context.Context) error,
) error {
	return p.seen.withoutUsage(ctx, p.Name()+"."+name, do)
}

func (p observedPayments) CreateOrder(
	ctx context.Context, o payment.NewOrder,
) (opened payment.OpenedOrder, err error) {
	err = p.call(ctx, "create_order", func(ctx context.Context) (err error) {
		opened, err = p.Provider.CreateOrder(ctx, o)
		return err
	})
	return opened, err
}

func (p observedPayments) Order(
	ctx context.Context, orderID string,
) (report payment.OrderReport, err error) {
	err = p.call(ctx, "order", func(ctx context.Context) (err error) {
		report, err = p.Provider.Order(ctx, orderID)
		return err
	})
	return report, err
}

// CancelOrder tells the observer that an order that is paid is a success: it is an answer. The
// gateway, which cannot cancel orders, makes no request, and none is observed.
func (p observedPayments) CancelOrder(ctx context.Context, orderID string) (err error) {
	if p.Name() == payment.NameGateway {
		return p.Provider.CancelOrder(ctx, orderID)
	}
	_ = p.call(ctx, "cancel_order", func(ctx context.Context) error {
		if err = p.Provider.CancelOrder(ctx, orderID); errors.Is(err, payment.ErrOrderPaid) {
			return nil
		}
		return err
	})
	return err
}

// CheckProof observes no proof of the gateway, which is checked without a request. An answer that
// is a public error is a success to the observer.
func (p observedPayments) CheckProof(
	ctx context.Context, proof payment.Proof,
) (paid payment.Payment, err error) {
	if p.Name() == payment.NameGateway {
		return p.Provider.CheckProof(ctx, proof)
	}
	_ = p.call(ctx, "check_proof", func(ctx context.Context) error {
		if paid, err = p.Provider.CheckProof(ctx, proof); core.IsPublic(err) {
			return nil
		}
		return err
	})
	return paid, err
}

func (p observedPayments) CreateRefund(
	ctx context.Context, r payment.NewRefund,
) (refund payment.Refund, err error) {
	err = p.call(ctx, "create_refund", func(ctx context.Context) (err error) {
		refund, err = p.Provider.CreateRefund(ctx, r)
		return err
	})
	return refund, err
}

func (p observedPayments) Refunds(
	ctx context.Context, paymentID string,
) (list []payment.Refund, err error) {
	err = p.call(ctx, "refunds", func(ctx context.Context) (err error) {
		list, err = p.Provider.Refunds(ctx, paymentID)
		return err
	})
	return list, err
}

func (p observedPayments) Disputes(
	ctx context.Context, paymentID string,
) (list []payment.Dispute, err error) {
	if p.Name() == payment.NameGateway { // which has none, and makes no request
		return p.Provider.Disputes(ctx, paymentID)
	}
	err = p.call(ctx, "disputes", func(ctx context.Context) (err error) {
		list, err = p.Provider.Disputes(ctx, paymentID)
		return err
	})
	return list, err
}

// observedTax is a [papers.TaxPort] whose calls are observed.
type observedTax struct {
	papers.TaxPort
	seen providerObserver
}

func (o observedTax) Tax(ctx context.Context, s papers.TaxedSale) (t papers.Tax, err error) {
	err = o.seen.withoutUsage(ctx, "tax", func(ctx context.Context) (err error) {
		t, err = o.TaxPort.Tax(ctx, s)
		return err
	})
	return t, err
}

// observedRoles is a [people.RoleGranter] whose calls are observed.
type observedRoles struct {
	people.RoleGranter
	seen providerObserver
}

func (r observedRoles) GrantRole(ctx context.Context, userID string, role core.Role) error {
	return r.seen.withoutUsage(ctx, "identity.grant_role", func(ctx context.Context) error {
		return r.RoleGranter.GrantRole(ctx, userID, role)
	})
}

// media returns m observed. It is a [file.MediaChecker] if m is one.
func (o providerObserver) media(m file.Media) file.Media {
	observed := observedMedia{m, o}
	if checker, ok := m.(file.MediaChecker); ok {
		return observedChecker{observed, checker}
	}
	return observed
}

// observedMedia is a [file.Media] whose changes are observed.
type observedMedia struct {
	file.Media
	seen providerObserver
}

// Put tells the observer that a file that exists is a success, because another instance may have
// stored it. The caller gets the error of the media store.
func (m observedMedia) Put(ctx context.Context, name, contentType string, data []byte) (err error) {
	_ = m.seen.withoutUsage(ctx, "media.put", func(ctx context.Context) error {
		if err = m.Media.Put(ctx, name, contentType, data); errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	})
	return err
}

func (m observedMedia) Delete(ctx context.Context, name string) error {
	return m.seen.withoutUsage(ctx, "media.delete",
		func(ctx context.Context) error { return m.Media.Delete(ctx, name) })
}

// observedChecker is an observedMedia that is a [file.MediaChecker] too.
type observedChecker struct {
	observedMedia
	checker file.MediaChecker
}

func (c observedChecker) Exists(ctx context.Context, name string) (exists bool, err error) {
	err = c.seen.withoutUsage(ctx, "media.exists", func(ctx context.Context) (err error) {
		exists, err = c.checker.Exists(ctx, name)
		return err
	})
	return exists, err
}

// observedFiles is a [file.Store] whose changes are observed. The time of a StoreFile is
// mostly that of the client who sends the file.
type observedFiles struct {
	file.Store
	seen providerObserver
}

func (f observedFiles) StoreFile(ctx context.Context, name string, content io.Reader) error {
	return f.seen.withoutUsage(ctx, "files.store",
		func(ctx context.Context) error { return f.Store.StoreFile(ctx, name, content) })
}

func (f observedFiles) DeleteFile(ctx context.Context, name string) error {
	return f.seen.withoutUsage(ctx, "files.delete",
		func(ctx context.Context) error { return f.Store.DeleteFile(ctx, name) })
}

// observedAI is a model whose calls are observed, with the tokens that are booked for them: those
// that the reply reports, or the maximum of the request if they are not known.
// See [tutor.BookedUsage].
type observedAI struct {
	tutor.AI
	seen providerObserver
}

func (a observedAI) Complete(
	ctx context.Context, r tutor.AIRequest,
) (reply tutor.AIReply, err error) {
	a.seen.call(ctx, "ai.complete", func(ctx context.Context) (core.AIUsage, error) {
		reply, err = a.AI.Complete(ctx, r)
		wasAtWork := ctx.Err() != nil // if it failed: it was given up while the provider worked
		return tutor.BookedUsage(r, reply, err, wasAtWork), err
	})
	return reply, err
}

func (a observedAI) Stream(ctx context.Context, r tutor.AIRequest,
	write func(delta string) error) (reply tutor.AIReply, err error) {
	answered := false
	a.seen.call(ctx, "ai.stream", func(ctx context.Context) (core.AIUsage, error) {
		reply, err = a.AI.Stream(ctx, r, func(delta string) error {
			answered = true
			return write(delta)
		})
		wasAtWork := answered || ctx.Err() != nil // if it failed: it had begun, or was given up
		return tutor.BookedUsage(r, reply, err, wasAtWork), err
	})
	return reply, err
}
