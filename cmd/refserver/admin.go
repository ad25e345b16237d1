package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

type adminCommand struct {
	User string `arg:"" name:"user-id" help:"Id of the user at the identity provider."`
}

// Run makes a user an administrator, at the identity provider and in the database. A
// running server on that database applies it from its next request on.
func (c adminCommand) Run(ctx context.Context, p *program) error {
	if err := p.check((*Settings).checkDatabase, (*Settings).checkIdentity,
		(*Settings).checkEvents); err != nil {
		return err
	}
	// The library can grant roles only through the provider, so that tokens agree with the
	// database.
	roles, err := p.operatorRoles()
	if err != nil {
		return err
	}
	// The database must be that of the running servers.
	st, err := p.openStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	platform, err := p.newPlatform(st, learning.WithRoles(roles),
		learning.WithProviderTimeout(providerTimeout))
	if err != nil {
		return err
	}
	// Change the provider first and then the database, as an approved application does. A user who
	// has no record here yet gets the role too; ErrUserNotFound means a deleted one.
	switch err := platform.System().MakeAdmin(ctx, c.User); {
	case errors.Is(err, people.ErrUserNotFound):
		return fmt.Errorf("%q was deleted here, which is permanent", c.User)
	case errors.Is(err, core.ErrInvalidRequest):
		return fmt.Errorf("%q cannot be the id of a user", c.User)
	case err != nil:
		return fmt.Errorf("make %q an admin (running it again is safe): %w", c.User, err)
	}
	_, err = fmt.Fprintf(p.stdout,
		"%s is an admin now, at the identity provider and in this database.\n"+
			"This takes effect at once, also for tokens that %[1]s already has.\n", c.User)
	return err
}

// operatorRoles returns a RoleGranter whose errors say what the operator can do.
func (p *program) operatorRoles() (people.RoleGranter, error) {
	// Without a provider in the settings, which only development allows, use the sandbox of the
	// running server.
	sandboxed := !p.Identity.set()
	if err := p.useRunningSandbox(!sandboxed); err != nil {
		return nil, err
	}
	roles, err := p.newRoles()
	if err != nil {
		return nil, err
	}
	explain := explainProvider
	if sandboxed {
		explain = func(err error) error { return p.explainSandbox(err, "http://"+p.sandboxAddr) }
	}
	return explainingRoles{roles, explain}, nil
}

// explainingRoles adds an explanation to the errors of a RoleGranter.
type explainingRoles struct {
	people.RoleGranter
	explain func(error) error
}

// GrantRole implements [people.RoleGranter].
func (e explainingRoles) GrantRole(ctx context.Context, userID string, role learning.Role) error {
	if err := e.RoleGranter.GrantRole(ctx, userID, role); err != nil {
		return e.explain(err)
	}
	return nil
}

// explainSandbox explains an error of the sandbox, which runs in the process of a server. at is the
// URL of the sandbox.
func (p *program) explainSandbox(err error, at string) error {
	switch status(err) {
	case http.StatusNotFound:
		return fmt.Errorf("the sandbox has no such user; %s lists its users: %w", at, err)
	case http.StatusUnauthorized:
		return fmt.Errorf("the sandbox at %s belongs to a server with another database: give the "+
			"--database and --sandbox-addr of one and the same server: %w", at, err)
	case 0: // no answer
		return fmt.Errorf("the sandbox does not answer at %s: start the server in another "+
			"terminal (%s), with the same --database and --sandbox-addr: %w", at, p.name, err)
	}
	return err
}

// explainProvider explains an error of a real identity provider.
func explainProvider(err error) error {
	switch status(err) {
	case http.StatusNotFound:
		return fmt.Errorf("the identity provider has no such user: %w", err)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("the identity provider does not accept the key in %s: %w",
			variable("identity-api-key"), err)
	case 0: // no answer
		return fmt.Errorf("the identity provider cannot be reached at the address in %s: %w",
			variable("identity-api-url"), err)
	}
	return err
}

// status returns the status code of the provider's answer; 0 if there was no answer, or no error.
func status(err error) int {
	if answer, ok := errors.AsType[*provider.StatusError](err); ok {
		return answer.Status
	}
	return 0
}
