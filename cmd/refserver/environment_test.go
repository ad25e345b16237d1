package main

import (
	"strings"
	"testing"
)

func TestEnvironment_MisspeltSettingIsNamedWithTheNearest(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"LEARNING_CURENCY":         "LEARNING_CURRENCY",
		"LEARNING_PUBLIC_ULR":      "LEARNING_PUBLIC_URL",
		"LEARNING_TRUSTED_PROXY":   "LEARNING_TRUSTED_PROXIES",
		"LEARNING_JWKS_URL":        "LEARNING_IDENTITY_JWKS_URL",
		"LEARNING_DATABASE_URL":    "LEARNING_DATABASE",
		"LEARNING_WEBHOOK_SECRETS": "LEARNING_STRIPE_WEBHOOK_SECRET",
		"LEARNING_SANDBOX_ADDR":    "--sandbox-addr", // which is a flag only
	} {
		code, _, stderr := commandWith(t, environment{name: "hush"}, "version")
		if code != 0 || !strings.Contains(stderr, "variable="+name+" nearest="+want+"\n") ||
			strings.Contains(stderr, "hush") {
			t.Errorf("%s: exit code %d and %q, want %s", name, code, stderr, want)
		}
	}
}

func TestEnvironment_OtherVariablesAreNotWarnedOf(t *testing.T) {
	t.Parallel()
	env := environment{"PATH": "/bin", "LEARNING": "1", "XLEARNING_ENV": "1",
		"LEARNING_TEST_REQUIRE": "redis", "LEARNING_URL": "http://localhost",
		"LEARNING_ADMIN_TOKEN": "token"}
	for _, name := range documented {
		env[name] = ""
	}
	if _, _, stderr := commandWith(t, env, "version"); stderr != "" {
		t.Error(stderr)
	}
}

// A value that cannot be read is a problem like others: it does not hide them.
func TestCheck_UnreadableValuesAreListedWithTheOthers(t *testing.T) {
	t.Parallel()
	env := inProduction(t.TempDir())
	delete(env, "LEARNING_GATEWAY_URL")
	env["LEARNING_DRAIN_DELAY"], env["LEARNING_RECONCILE_EVERY"] = "10", "often"
	env["LEARNING_REFUND_KEEP_ACCESS"], env["LEARNING_CURRENCY"] = "maybe", "XYZ"
	code, _, stderr := commandWith(t, env)
	for _, name := range []string{"LEARNING_DRAIN_DELAY", "LEARNING_RECONCILE_EVERY",
		"LEARNING_REFUND_KEEP_ACCESS", "LEARNING_CURRENCY", "LEARNING_GATEWAY_URL"} {
		if !strings.Contains(stderr, name+" (--") {
			t.Errorf("%s is not named in:\n%s", name, stderr)
		}
	}
	if code != 1 || strings.Count(stderr, " (--") != 5 ||
		!strings.Contains(stderr, `"10": it must be a time with its unit, such as 10s`) {
		t.Errorf("exit code %d and\n%s", code, stderr)
	}
}
