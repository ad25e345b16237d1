package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// documented lists the settings that operators and their scripts rely on.
var documented = []string{
	"LEARNING_ENV", "LEARNING_ADDR", "LEARNING_DATABASE", "LEARNING_DATABASE_PREFIX",
	"LEARNING_FRONTEND_ORIGIN",
	"LEARNING_STOREFRONT", "LEARNING_PUBLIC_URL",
	"LEARNING_CURRENCY", "LEARNING_MEDIA", "LEARNING_DRAIN_DELAY", "LEARNING_RECONCILE_EVERY",
	"LEARNING_LOG_LEVEL", "LEARNING_FONTS",
	"LEARNING_MAX_FILE", "LEARNING_MAX_STORAGE", "LEARNING_EMBED_HOSTS", "LEARNING_FILES_SECRET",
	"LEARNING_MEDIA_KEY_ID", "LEARNING_MEDIA_KEY_SECRET", "LEARNING_MEDIA_PUBLIC_URL",
	"LEARNING_IDENTITY_JWKS_URL", "LEARNING_IDENTITY_ISSUER", "LEARNING_IDENTITY_API_URL",
	"LEARNING_IDENTITY_API_KEY",
	"LEARNING_IDENTITY_WEBHOOK_SECRET", "LEARNING_IDENTITY_AUDIENCE", "LEARNING_IDENTITY_PARTIES",
	"LEARNING_GATEWAY_URL", "LEARNING_GATEWAY_KEY_ID", "LEARNING_GATEWAY_KEY_SECRET",
	"LEARNING_GATEWAY_WEBHOOK_SECRET",
	"LEARNING_STRIPE_KEY", "LEARNING_STRIPE_PUBLISHABLE_KEY", "LEARNING_STRIPE_WEBHOOK_SECRET",
	"LEARNING_STRIPE_URL", "LEARNING_STRIPE_CURRENCIES", "LEARNING_REFUND_KEEP_ACCESS",
	"LEARNING_REFUND_REVOKE_CERTIFICATE",
	"LEARNING_SELLER_NAME", "LEARNING_SELLER_ADDRESS", "LEARNING_SELLER_TAX_ID",
	"LEARNING_SELLER_TIMEZONE", "LEARNING_TAX_RATE", "LEARNING_TAX_NAME", "LEARNING_PAPERS_YEARS",
	"LEARNING_AI_URL", "LEARNING_AI_API_KEY", "LEARNING_AI_MODEL", "LEARNING_AI_BUDGET",
	"LEARNING_AI_PRICE",
	"LEARNING_EVENTS_URL", "LEARNING_EVENTS_SECRET",
	"LEARNING_CERTIFICATE_NAME", "LEARNING_CERTIFICATE_LOGO", "LEARNING_CERTIFICATE_ACCENT",
	"LEARNING_CREDENTIAL_KEY", "LEARNING_CREDENTIAL_RETIRED_KEYS",
	"LEARNING_REDIS_URL", "LEARNING_TRUSTED_PROXIES", "LEARNING_MCP",
	"LEARNING_METRICS_ADDR",
}

func TestSettings_HaveTheDocumentedNames(t *testing.T) {
	t.Parallel()
	var line commandLine
	parser, err := newParser(&line, environment{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, flag := range parser.Model.Flags {
		if flag.Group != nil && flag.Group.Key == settingsGroup {
			names = append(names, variable(flag.Name))
		}
	}
	if diff := cmp.Diff(documented, names); diff != "" {
		t.Errorf("settings (-documented +have):\n%s", diff)
	}
}

func TestConfigurationPage_NamesEverySetting(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range documented {
		provider, last, _ := strings.Cut(strings.TrimPrefix(name, "LEARNING_"), "_")
		// the table may group the settings of a provider: LEARNING_GATEWAY_URL, _KEY_ID
		short := "LEARNING_" + provider
		if text := string(page); !strings.Contains(text, name) &&
			!(strings.Contains(text, short) && strings.Contains(text, "_"+last+"`")) {
			t.Errorf("docs/configuration.md does not name %s", name)
		}
	}
}

func TestSettings_FlagOverridesTheEnvironment(t *testing.T) {
	t.Parallel()
	env := environment{"LEARNING_CURRENCY": "EUR", "LEARNING_PUBLIC_URL": "https://env.example.org",
		"LEARNING_ADDR": ""}
	var line commandLine
	parser, err := newParser(&line, env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"serve", "--currency=USD"}); err != nil {
		t.Fatal(err)
	}
	got := []string{line.Currency, line.PublicURL, line.Addr}
	want := []string{"USD", "https://env.example.org", ":3000"} // an empty variable counts as unset
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("flag, environment, default (-want +got):\n%s", diff)
	}
}

// inProduction returns all settings that production requires.
func inProduction(dir string) environment {
	return environment{
		"LEARNING_ENV": "production", "LEARNING_ADDR": "127.0.0.1:0",
		"LEARNING_DATABASE":                "sqlite:" + filepath.Join(dir, "learning.db"),
		"LEARNING_MEDIA":                   filepath.Join(dir, "media"),
		"LEARNING_FRONTEND_ORIGIN":         "https://learn.example.org",
		"LEARNING_PUBLIC_URL":              "https://api.example.org",
		"LEARNING_IDENTITY_JWKS_URL":       "https://id.example.org/jwks.json",
		"LEARNING_IDENTITY_ISSUER":         "https://id.example.org",
		"LEARNING_IDENTITY_API_URL":        "https://api.id.example.org",
		"LEARNING_IDENTITY_API_KEY":        "sk_0123456789abcdef",
		"LEARNING_IDENTITY_WEBHOOK_SECRET": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3",
		"LEARNING_GATEWAY_URL":             "https://gateway.example.org",
		"LEARNING_GATEWAY_KEY_ID":          "key_1",
		"LEARNING_GATEWAY_KEY_SECRET":      "0123456789abcdef",
		"LEARNING_GATEWAY_WEBHOOK_SECRET":  "fedcba9876543210",
	}
}

func TestCheck_ListsEveryMissingSetting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := environment{"LEARNING_ENV": "production",
		"LEARNING_DATABASE": "sqlite:" + filepath.Join(dir, "learning.db")}
	code, stdout, stderr := commandWith(t, env)
	if code == 0 || stdout != "" || strings.Contains(stderr, "listening") {
		t.Errorf("exit code %d, stdout %q, stderr %s", code, stdout, stderr)
	}
	for name := range inProduction(dir) {
		given := name == "LEARNING_ENV" || name == "LEARNING_ADDR" || name == "LEARNING_DATABASE" ||
			name == "LEARNING_MEDIA"
		if reported := strings.Contains(stderr, name+" (--"); reported == given {
			t.Errorf("%s: reported: %v, although it has a value or a default: %v", name, reported,
				given)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("it began with its work before the settings were right: %v", left)
	}
}

func TestCheck_NamesUnusableSettingsWithoutTheirValues(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string][]string{
		"LEARNING_ENV":  {"prod", "test"},
		"LEARNING_ADDR": {"3000", ":http", ":99999", "localhost"},
		"LEARNING_DATABASE": {"postgres://u:hush@h/d", "learning.db", "sqlite:",
			"sqlite::memory:", "sqlite://x.db", "mysql://u:hush@h", "mysql:", "mysql://u:hu%sh@h/d",
			"mysql://u:hush@h,/d"},
		"LEARNING_DATABASE_PREFIX": {"Lectern_", "_a", "a b", "abcdefghijklmnopqrstu"},
		"LEARNING_FRONTEND_ORIGIN": {"learn.example.org", "https://learn.example.org/",
			"https://Learn.example.org", "https://learn.example.org:443",
			"http://learn.example.org:80", "*", "ftp://x"},
		"LEARNING_PUBLIC_URL": {"api.example.org", "https://", "ftp://x",
			"https://x/?a=b"},
		"LEARNING_CURRENCY": {"JPY", "KWD", "inr", "EURO", "XYZ"},
		"LEARNING_MEDIA": {"s3://", "https://bucket.example.org",
			"s3://key:hush@lectern", "s3://lectern?secret=hush"},
		"LEARNING_MAX_FILE":                {"500", "-1MB", "0GB", "many", "1.5GB"},
		"LEARNING_MAX_STORAGE":             {"500", "-1MB", "0GB", "many", "1.5GB"},
		"LEARNING_EMBED_HOSTS":             {"https://videos.example.org", "Videos.example.org", "a,b:443"},
		"LEARNING_FILES_SECRET":            {"hush", "0123456789abcdef,hush"},
		"LEARNING_MEDIA_PUBLIC_URL":        {"https://cdn.example.org"}, // without a bucket
		"LEARNING_IDENTITY_JWKS_URL":       {"id.example.org", "file:///keys"},
		"LEARNING_IDENTITY_API_URL":        {"/v1"},
		"LEARNING_IDENTITY_API_KEY":        {"hush"},
		"LEARNING_IDENTITY_WEBHOOK_SECRET": {"whsec_", "whsec_hush", "hush!", " , "},
		"LEARNING_IDENTITY_AUDIENCE":       {" ", ","},
		"LEARNING_IDENTITY_PARTIES":        {" , "},
		"LEARNING_GATEWAY_URL":             {"gateway"},
		"LEARNING_GATEWAY_KEY_ID":          {"a:b"},
		"LEARNING_GATEWAY_KEY_SECRET":      {"hush"},
		"LEARNING_GATEWAY_WEBHOOK_SECRET":  {"hush", "fedcba9876543210,hush", ","},
		"LEARNING_TRUSTED_PROXIES": {"10.0.0.1", "10.0.0.0/33", "10.0.0.0/8,proxy",
			"0.0.0.0/0", "10.0.0.0/8, ::/0"},
		"LEARNING_DRAIN_DELAY":     {"-1s", "6m"},
		"LEARNING_RECONCILE_EVERY": {"-1s", "1ms", "25h"},
		"LEARNING_REDIS_URL": {"127.0.0.1:6379", "redis://u:hush@", "http://u:hush@h",
			"redis://u:hu%sh@h", "redis://u:hush@h?pool=1"},
		"LEARNING_METRICS_ADDR": {"9464", "localhost", "localhost:http"},
		"LEARNING_AI_PRICE":     {"0.15", "a,b", "-1,2", "1,2,3", "NaN,1", "1,Inf"},
		"LEARNING_AI_URL": {"ai.example.org/v1",
			"https://ai.example.org/v1?key=hush"},
		"LEARNING_AI_API_KEY": {"hush hush", "hush\n"},
		"LEARNING_AI_MODEL":   {" "},
		"LEARNING_AI_BUDGET":  {"many", "-1", "1,2,3", "1.5", "9223372036854775808"},
		"LEARNING_EVENTS_URL": {"hooks.example.org/hush", "ftp://x", " "},
		"LEARNING_EVENTS_SECRET": {"whsec_", "whsec_hush", "hush!", " , ",
			"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3,whsec_aHVzaA"},
		"LEARNING_CERTIFICATE_NAME":   {" ", strings.Repeat("x", 201)},
		"LEARNING_CERTIFICATE_LOGO":   {"settings_test.go", "nowhere.png", "."},
		"LEARNING_CERTIFICATE_ACCENT": {"red", "#fff", "#1234567", "#gggggg"},
		"LEARNING_FONTS":              {"settings_test.go", "nowhere"},
		"LEARNING_MCP":                {"yes", "All", " "},
		"LEARNING_LOG_LEVEL":          {"INFO", "verbose", "info+1"},
	} {
		for _, value := range bad {
			env := inProduction(t.TempDir())
			if strings.HasPrefix(name, "LEARNING_AI") {
				env["LEARNING_AI_URL"], env["LEARNING_AI_MODEL"] = "https://ai.example.org/v1",
					"large"
			}
			if strings.HasPrefix(name, "LEARNING_EVENTS") {
				env["LEARNING_EVENTS_URL"], env["LEARNING_EVENTS_SECRET"] = "https://hooks.example.org", "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
			}
			env[name] = value
			code, _, stderr := commandWith(t, env)
			if code != 1 || strings.Count(stderr, "(--") != 1 ||
				!strings.Contains(stderr, name+" (--") {
				t.Errorf("%s=%s: exit code %d and\n%s", name, value, code, stderr)
			}
			if strings.Contains(stderr, "hush") {
				t.Errorf("%s: a value that may be secret is repeated:\n%s", name, stderr)
			}
		}
	}
}

func TestCheck_UsableSettingsPass(t *testing.T) {
	t.Parallel()
	for name, good := range map[string]string{
		"LEARNING_ENV":                     "production",
		"LEARNING_ADDR":                    "[::1]:443",
		"LEARNING_DATABASE":                "mysql://u:p%40ss@db1:3307/learning?tls=true",
		"LEARNING_FRONTEND_ORIGIN":         "http://localhost:8080",
		"LEARNING_PUBLIC_URL":              "https://example.org/learning/",
		"LEARNING_CURRENCY":                "EUR",
		"LEARNING_MAX_FILE":                "2 gb",
		"LEARNING_MAX_STORAGE":             "20GB",
		"LEARNING_EMBED_HOSTS":             "videos.example.org, v.example.com",
		"LEARNING_FILES_SECRET":            "0123456789abcdef, fedcba9876543210",
		"LEARNING_GATEWAY_WEBHOOK_SECRET":  "fedcba9876543210, 0123456789abcdef",
		"LEARNING_IDENTITY_WEBHOOK_SECRET": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3,whsec_YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAx",
		"LEARNING_TRUSTED_PROXIES":         "10.0.0.0/8, fd00::/8",
		"LEARNING_FONTS":                   ".",
		"LEARNING_EVENTS_URL":              "http://10.0.0.7:8080/hooks?tenant=1",
		"LEARNING_EVENTS_SECRET": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3, " +
			"YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAx",
		"LEARNING_LOG_LEVEL":          "warn",
		"LEARNING_REDIS_URL":          "rediss://u:p%40ss@redis.example.org:6380/2?timeout=20ms",
		"LEARNING_AI_BUDGET":          "50000, 0",
		"LEARNING_CERTIFICATE_ACCENT": "#7A1f2b",
	} {
		env := inProduction(t.TempDir())
		if strings.HasPrefix(name, "LEARNING_EVENTS") {
			env["LEARNING_EVENTS_URL"], env["LEARNING_EVENTS_SECRET"] = "https://hooks.example.org",
				"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
		}
		env[name] = good
		var line commandLine
		parser, err := newParser(&line, env)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(nil); err != nil {
			t.Fatal(err)
		}
		if err := line.check(serverChecks...); err != nil {
			t.Errorf("%s=%s: %v", name, good, err)
		}
	}
}

func TestCheck_OneSettingOfAProviderRequiresTheOthers(t *testing.T) {
	t.Parallel()
	code, _, stderr := commandWith(t,
		environment{"LEARNING_GATEWAY_URL": "https://gateway.example.org"}, dev(t.TempDir())...)
	if code != 1 || strings.Count(stderr, "LEARNING_GATEWAY_") != 3 ||
		strings.Contains(stderr, "LEARNING_IDENTITY_") {
		t.Errorf("exit code %d and\n%s", code, stderr)
	}
}

func TestCheck_EventsSettingsAreCompleteOrAbsent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		events  EventsSettings
		missing string
	}{
		"none": {EventsSettings{}, ""},
		"all": {EventsSettings{URL: "https://hooks.example.org",
			Secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"}, ""},
		"no secret": {EventsSettings{URL: "https://hooks.example.org"}, "LEARNING_EVENTS_SECRET"},
		"no URL": {EventsSettings{Secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"},
			"LEARNING_EVENTS_URL"},
	} {
		for _, mode := range []string{"production", development} {
			s := Settings{Env: mode, Events: test.events}
			err := s.check((*Settings).checkEvents)
			if (err == nil) != (test.missing == "") ||
				err != nil && !strings.Contains(err.Error(), test.missing+" (--") {
				t.Errorf("%s in %s: %v", name, mode, err)
			}
		}
	}
}

func TestCommandLine_ExplainsErrors(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--nonsense"}, {"nonsense"}, {"trigger", "nonsense"},
		{"import"}} {
		if code, _, stderr := command(t, args...); code != 2 ||
			!strings.Contains(stderr, "--help") {
			t.Errorf("%v: exit code %d and %q", args, code, stderr)
		}
	}
}

func TestHelp_ShowsFlagsAndVariables(t *testing.T) {
	t.Parallel()
	code, stdout, _ := command(t, "--help")
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, name := range documented {
		if !strings.Contains(stdout, "["+name+"]") {
			t.Errorf("the help does not name %s", name)
		}
	}
}

func TestVersion_IsPrinted(t *testing.T) {
	t.Parallel()
	code, stdout, _ := command(t, "version")
	if code != 0 || !strings.HasPrefix(stdout, "refserver ") || !strings.Contains(stdout, "go1.") {
		t.Errorf("exit code %d and %q", code, stdout)
	}
}

func TestCheck_AISettingsAreCompleteOrAbsent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		set     environment
		missing string
	}{
		"none": {environment{}, ""},
		"all": {environment{"LEARNING_AI_URL": "http://127.0.0.1:1/v1",
			"LEARNING_AI_API_KEY": "short", "LEARNING_AI_MODEL": "large"}, ""},
		"no key": {environment{"LEARNING_AI_URL": "http://127.0.0.1:1/v1",
			"LEARNING_AI_MODEL": "large"}, ""},
		"no model": {environment{"LEARNING_AI_URL": "http://127.0.0.1:1/v1"}, "LEARNING_AI_MODEL"},
		"no URL":   {environment{"LEARNING_AI_MODEL": "large"}, "LEARNING_AI_URL"},
	} {
		for _, mode := range []string{"production", development} {
			s := Settings{Env: mode,
				AI: AISettings{URL: test.set["LEARNING_AI_URL"],
					APIKey: test.set["LEARNING_AI_API_KEY"], Model: test.set["LEARNING_AI_MODEL"]}}
			err := s.check((*Settings).checkAI)
			if (err == nil) != (test.missing == "") ||
				err != nil && !strings.Contains(err.Error(), test.missing+" (--") {
				t.Errorf("%s in %s: %v", name, mode, err)
			}
		}
	}
}

func TestDevelopment_SandboxReplacesAMissingAI(t *testing.T) {
	t.Parallel()
	box := sandbox.Config{URL: "http://127.0.0.1:3001", AIAPIKey: "key"}
	var p program
	p.AI.Budget, p.AI.Price = "50000", "1,2" // which apply to the sandbox too
	p.useSandbox(box)
	if want := (AISettings{URL: "http://127.0.0.1:3001/v1", APIKey: "key", Model: sandbox.AIModel,
		Budget: "50000", Price: "1,2"}); p.AI != want {
		t.Errorf("%+v", p.AI)
	}
	mine := AISettings{URL: "http://127.0.0.1:11434/v1", Model: "large"}
	p = program{}
	p.AI = mine
	if p.useSandbox(box); p.AI != mine {
		t.Errorf("%+v", p.AI)
	}
}

func TestCheck_MetricsAddressOfTheServerItself(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		addr, metrics string
		same          bool
	}{
		{":3000", ":3000", true}, {":3000", "127.0.0.1:3000", true},
		{"127.0.0.1:3000", "0.0.0.0:3000", true}, {"127.0.0.1:3000", "[::]:3000", true},
		{"localhost:3000", "127.0.0.1:3000", true}, {"10.0.0.7:3000", "10.0.0.7:3000", true},
		{":3000", ":9464", false}, {"10.0.0.7:3000", "127.0.0.1:3000", false},
		{"127.0.0.1:0", "127.0.0.1:0", false},
	} {
		for _, mode := range []string{"production", development} {
			s := Settings{Env: mode, Addr: test.addr, MetricsAddr: test.metrics}
			err := s.check((*Settings).checkMetrics)
			if test.same != (err != nil) || err != nil &&
				!strings.Contains(err.Error(), "which is the address of the server itself") {
				t.Errorf("%s beside %s in %s: %v", test.metrics, test.addr, mode, err)
			}
		}
	}
}

func TestWarnings_PublicMetricsAndProxiesOfEverybody(t *testing.T) {
	t.Parallel()
	for address, public := range map[string]bool{
		":9464": true, "0.0.0.0:9464": true, "[::]:9464": true, "203.0.113.7:9464": true,
		"[2001:db8::7]:9464": true,
		"127.0.0.1:9464":     false, "[::1]:9464": false, "localhost:9464": false,
		"10.0.0.7:9464": false, "[fd00::7]:9464": false,
	} {
		if got := isPublic(address); got != public {
			t.Errorf("%s is public: %v", address, got)
		}
	}
	s := serve(t, nil, dev(shop(t), "--trusted-proxies=0.0.0.0/0", "--metrics-addr=:0")...)
	for _, want := range []string{
		`msg="the metrics and profiles need no password, and their address is public" setting=LEARNING_METRICS_ADDR address=:0`,
		`msg="every client is a trusted proxy, and can choose the address that rate limits count" setting=LEARNING_TRUSTED_PROXIES networks=0.0.0.0/0`,
	} {
		if !strings.Contains(s.stderr.String(), want) {
			t.Errorf("%s is not in:\n%s", want, s.stderr.String())
		}
	}
}
