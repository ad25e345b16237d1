package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/openlectern/openlectern/learning/sandbox"
)

type tokenCommand struct {
	User string `arg:"" help:"User of the sandbox, such as user_student or user_admin."`
}

// Run prints a session token of a user of the sandbox, which need not be running. The token is
// valid for tokenTime.
func (c tokenCommand) Run(p *program) error {
	if err := p.check(); err != nil {
		return err
	}
	// The key that signs is in the sandbox's file.
	box, err := p.readSandbox(false)
	if err != nil {
		return err
	}
	defer box.Close()
	if p.Identity.set() {
		return errors.New("users sign in at your identity provider here, not at the sandbox")
	}
	// A token with a signature of ES256 is short enough to paste.
	token, err := box.Identity().Token(c.User, sandbox.WithTTL(tokenTime), sandbox.WithAlg("ES256"))
	if errors.Is(err, sandbox.ErrUnknownUser) {
		return fmt.Errorf("the sandbox has no user %q; it has %s", c.User,
			strings.Join(userIDs(box), ", "))
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, token)
	return err
}

// userIDs returns the ids of the users of the sandbox.
func userIDs(box *sandbox.Sandbox) []string {
	var ids []string
	for _, u := range box.Identity().Users() {
		ids = append(ids, u.ID)
	}
	return ids
}
