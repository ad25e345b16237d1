package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// deployFolder has the files with which operators run the program.
const deployFolder = "../../examples/deploy"

// secretSettings are the settings whose values no file of the repository contains.
var secretSettings = []string{"LEARNING_DATABASE", "LEARNING_REDIS_URL", "LEARNING_MEDIA_KEY_ID",
	"LEARNING_MEDIA_KEY_SECRET",
	"LEARNING_IDENTITY_API_KEY", "LEARNING_IDENTITY_WEBHOOK_SECRET", "LEARNING_GATEWAY_KEY_ID",
	"LEARNING_GATEWAY_KEY_SECRET",
	"LEARNING_GATEWAY_WEBHOOK_SECRET", "LEARNING_STRIPE_KEY", "LEARNING_STRIPE_WEBHOOK_SECRET",
	"LEARNING_AI_API_KEY", "LEARNING_EVENTS_SECRET"}

// leftToOperators are the settings that the files do not set, because the server works without
// them.
var leftToOperators = []string{"LEARNING_DATABASE_PREFIX", "LEARNING_STOREFRONT",
	"LEARNING_RECONCILE_EVERY",
	"LEARNING_REFUND_KEEP_ACCESS", "LEARNING_REFUND_REVOKE_CERTIFICATE", "LEARNING_AI_PRICE",
	"LEARNING_STRIPE_KEY", "LEARNING_STRIPE_PUBLISHABLE_KEY", "LEARNING_STRIPE_WEBHOOK_SECRET",
	"LEARNING_STRIPE_URL", "LEARNING_STRIPE_CURRENCIES",
	"LEARNING_SELLER_NAME", "LEARNING_SELLER_ADDRESS", "LEARNING_SELLER_TAX_ID",
	"LEARNING_SELLER_TIMEZONE", "LEARNING_TAX_RATE", "LEARNING_TAX_NAME", "LEARNING_PAPERS_YEARS",
	"LEARNING_LOG_LEVEL", "LEARNING_FONTS", "LEARNING_MEDIA_PUBLIC_URL",
	"LEARNING_MAX_FILE", "LEARNING_MAX_STORAGE", "LEARNING_EMBED_HOSTS", "LEARNING_FILES_SECRET",
	"LEARNING_IDENTITY_AUDIENCE", "LEARNING_IDENTITY_PARTIES", "LEARNING_AI_URL",
	"LEARNING_AI_API_KEY", "LEARNING_AI_MODEL", "LEARNING_AI_BUDGET",
	"LEARNING_EVENTS_URL", "LEARNING_EVENTS_SECRET", "LEARNING_CERTIFICATE_LOGO",
	"LEARNING_CERTIFICATE_ACCENT",
	"LEARNING_CREDENTIAL_RETIRED_KEYS", "LEARNING_MCP", "LEARNING_METRICS_ADDR"}

func deployFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deployFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// envFile parses a file of lines NAME=VALUE, which systemd, compose and kubectl read alike.
func envFile(t *testing.T, text string) environment {
	t.Helper()
	all := environment{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if !found || strings.ContainsAny(value, `'"#\$`) {
			t.Errorf("not every reader understands the line %q", name)
		}
		all[name] = value
	}
	return all
}

// newSecrets runs make-secrets and returns the folder that it makes.
func newSecrets(t *testing.T) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "secrets")
	if out, err := exec.Command(filepath.Join(deployFolder, "make-secrets"),
		folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return folder
}

// copiedSecrets returns a folder of make-secrets, which this process runs once for all such
// folders, because making its key takes a second.
func copiedSecrets(t *testing.T) (folder string) {
	t.Helper()
	files, err := madeSecrets()
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// madeSecrets runs make-secrets and returns the files that it makes, by their names.
var madeSecrets = sync.OnceValues(func() (map[string][]byte, error) {
	scratch, err := os.MkdirTemp("", "secrets")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	folder := filepath.Join(scratch, "secrets")
	if out, err := exec.Command(filepath.Join(deployFolder, "make-secrets"),
		folder).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make-secrets: %w: %s", err, out)
	}
	entries, err := os.ReadDir(folder)
	files := map[string][]byte{}
	for _, entry := range entries {
		content, readErr := os.ReadFile(filepath.Join(folder, entry.Name()))
		err = errors.Join(err, readErr)
		files[entry.Name()] = content
	}
	return files, err
})

func secretFile(t *testing.T, folder, name string) environment {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return envFile(t, string(text))
}

// deployed returns the settings of the files, with values in place of those of the providers.
func deployed(t *testing.T, secrets string) environment {
	t.Helper()
	env := envFile(t, deployFile(t, "settings.env"))
	for name, value := range secretFile(t, secrets, "lectern.env") {
		env[name] = value
		if value == "" {
			env[name] = inProduction("")[name]
		}
	}
	env["LEARNING_CREDENTIAL_KEY"] = filepath.Join(secrets, "credential.pem")
	return env
}

func TestDeploy_SettingsAreCompleteAndExist(t *testing.T) {
	t.Parallel()
	env := deployed(t, copiedSecrets(t))
	var line commandLine
	parser, err := newParser(&line, env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	if err := line.Settings.check(serverChecks...); err != nil {
		t.Error(err)
	}
	for _, name := range documented {
		if _, isSet := env[name]; isSet == slices.Contains(leftToOperators, name) {
			t.Errorf("%s: set is %t; leftToOperators lists the settings that the files do not set",
				name, isSet)
		}
	}
	setting := regexp.MustCompile(`LEARNING_[A-Z_]+`)
	for _, name := range deployNames(t) {
		for _, found := range setting.FindAllString(deployFile(t, name), -1) {
			if !slices.Contains(documented, found) {
				t.Errorf("%s names %s, which is no setting", name, found)
			}
		}
	}
}

// deployNames returns the names of the files in the folder.
func deployNames(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(deployFolder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestDeploy_FilesContainNoSecret(t *testing.T) {
	t.Parallel()
	for _, file := range deployNames(t) {
		text := deployFile(t, file)
		for _, name := range secretSettings {
			value := regexp.MustCompile(name + `[=:][^\n$]+\n`).FindString(text)
			if file != "make-secrets" && file != "README.md" && value != "" {
				t.Errorf("%s sets %s", file, name)
			}
		}
	}
}

func TestDeploy_MakeSecrets(t *testing.T) {
	t.Parallel()
	first, second := newSecrets(t), newSecrets(t)
	seen := map[string]bool{}
	for _, folder := range []string{first, second} {
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the folder: %v, %v", info.Mode(), err)
		}
		database := secretFile(t, folder, "mysql.env")["MYSQL_PASSWORD"]
		redis := secretFile(t, folder, "redis.env")["REDIS_PASSWORD"]
		bucket := secretFile(t, folder, "bucket-setup.env")
		root := secretFile(t, folder, "bucket.env")["MINIO_ROOT_PASSWORD"]
		server := secretFile(t, folder, "lectern.env")
		for name, agree := range map[string]bool{
			"database": strings.Contains(server["LEARNING_DATABASE"], ":"+database+"@"),
			"redis":    strings.Contains(server["LEARNING_REDIS_URL"], ":"+redis+"@"),
			"bucket": server["LEARNING_MEDIA_KEY_SECRET"] == bucket["BUCKET_KEY_SECRET"] &&
				server["LEARNING_MEDIA_KEY_ID"] == bucket["BUCKET_KEY_ID"],
			"root of the bucket": strings.Contains(bucket["MC_HOST_bucket"], ":"+root+"@"),
		} {
			if !agree {
				t.Errorf("the two sides of %s have different secrets", name)
			}
		}
		for _, secret := range []string{database, redis, bucket["BUCKET_KEY_SECRET"], root} {
			if len(secret) < 32 || seen[secret] {
				t.Errorf("the secret %q is short or not new", secret)
			}
			seen[secret] = true
		}
	}
	if err := exec.Command(filepath.Join(deployFolder, "make-secrets"), first).Run(); err == nil {
		t.Error("it has written into a folder that exists")
	}
}

// decodeYAML decodes the documents of a file.
func decodeYAML(t *testing.T, name string) (all []map[string]any) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(deployFile(t, name)))
	for {
		var one map[string]any
		if err := d.Decode(&one); err != nil {
			if len(all) == 0 {
				t.Fatalf("%s: %v", name, err)
			}
			return all
		}
		all = append(all, one)
	}
}

// at returns the value at a path of keys and indexes.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch key := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[key]
		case int:
			l, _ := v.([]any)
			if key >= len(l) {
				t.Fatalf("nothing at %v", path)
			}
			v = l[key]
		}
	}
	return v
}

// TestDeploy_UnitIsValidAndConfined asks systemd itself. The exposure is from 0, confined, to 10.
func TestDeploy_UnitIsValidAndConfined(t *testing.T) {
	t.Parallel()
	_, missing := exec.LookPath("systemd-analyze")
	enginetest.Need(t, "systemd", missing)
	program, err := os.Executable() // a program that is there
	if err != nil {
		t.Fatal(err)
	}
	unit := write(t, t.TempDir(), "lectern.service",
		strings.ReplaceAll(deployFile(t, "lectern.service"), "ExecStart=/usr/local/bin/refserver",
			"ExecStart="+program))
	for _, args := range [][]string{{"verify", unit},
		{"security", "--offline=true", "--threshold=20", "--no-pager", unit}} {
		if out, err := exec.Command("systemd-analyze", args...).CombinedOutput(); err != nil ||
			args[0] == "verify" && len(out) > 0 {
			t.Errorf("systemd-analyze %v: %v\n%s", args, err, out)
		}
	}
	stop := regexp.MustCompile(`TimeoutStopSec=(\d+)`).FindStringSubmatch(deployFile(t,
		"lectern.service"))
	if n, err := strconv.Atoi(stop[1]); err != nil ||
		time.Duration(n)*time.Second < drainDelay(t)+stopTime {
		t.Error(errors.Join(err, errors.New("systemd kills the server while it drains")))
	}
}
