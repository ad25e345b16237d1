package main

import (
	"context"
	"strings"
	"testing"
)

// In development every provider may be configured, so that there is no sandbox: then a new database
// gets no demo, whose people are at the sandbox.
func TestServe_DevelopmentWithoutSandbox_HasNoDemo(t *testing.T) {
	t.Parallel()
	env := configured(providers(t), t.TempDir())
	env["LEARNING_ENV"] = "development"
	env["LEARNING_AI_URL"] = "http://127.0.0.1:1/v1"
	env["LEARNING_AI_MODEL"] = "any"
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout, stderr transcript
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, nil, env, &stdout, &stderr) }()
	await(t, "the start-up text, which is printed after the demo was made", func() bool {
		return strings.Contains(stdout.String(), "Ctrl-C") || len(ended) > 0
	})
	cancel()
	if code := <-ended; code != 0 || !strings.Contains(stdout.String(), "Ctrl-C") {
		t.Errorf("the server ended with %d:\n%s", code, stderr.String())
	}
}
