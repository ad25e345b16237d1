package main

import (
	"os"
	"strings"
	"testing"
)

// The page about mounting shows VerifyToken of this program.
func TestMountingPage_ShowsTheVerifierOfThisProgram(t *testing.T) {
	source, err := os.ReadFile("session.go")
	check(t, err)
	_, verifier, _ := strings.Cut(string(source), "// VerifyToken returns")
	verifier, _, _ = strings.Cut(verifier, "// GrantRole")
	page, err := os.ReadFile("../../docs/mounting.md")
	check(t, err)
	if verifier = strings.TrimSpace(verifier); verifier == "" ||
		!strings.Contains(string(page), verifier) {
		t.Error("docs/mounting.md does not show VerifyToken of session.go")
	}
}
