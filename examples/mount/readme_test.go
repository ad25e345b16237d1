package main

import (
	"os"
	"strings"
	"testing"
)

// The README shows VerifyToken of this program.
func TestReadme_ShowsTheVerifierOfThisProgram(t *testing.T) {
	source, err := os.ReadFile("session.go")
	check(t, err)
	_, verifier, _ := strings.Cut(string(source), "// VerifyToken returns")
	verifier, _, _ = strings.Cut(verifier, "// GrantRole")
	readme, err := os.ReadFile("../../README.md")
	check(t, err)
	if verifier = strings.TrimSpace(verifier); verifier == "" || !strings.Contains(string(readme), verifier) {
		t.Error("README.md does not show VerifyToken of session.go")
	}
}
