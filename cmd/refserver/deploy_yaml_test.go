package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// stopTime is the longest time that the server takes to stop after LEARNING_DRAIN_DELAY.
const stopTime = drainTime + cancelTime + closeTime

// drainDelay returns the LEARNING_DRAIN_DELAY of examples/deploy.
func drainDelay(t *testing.T) time.Duration {
	t.Helper()
	delay, err := time.ParseDuration(envFile(t,
		deployFile(t, "settings.env"))["LEARNING_DRAIN_DELAY"])
	if err != nil {
		t.Fatal(err)
	}
	return delay
}

func TestDeploy_ComposeRefersToWhatExists(t *testing.T) {
	t.Parallel()
	file := decodeYAML(t, "compose.yaml")[0]
	services, _ := file["services"].(map[string]any)
	for name := range services {
		service := func(path ...any) any {
			return at(t, file,
				append([]any{"services", name}, path...)...)
		}
		for _, env := range listAt(service("env_file")) {
			if folder, base, found := strings.Cut(env, "/"); found {
				if folder != "secrets" || !slices.Contains(secretNames(t), base) {
					t.Errorf("%s: make-secrets does not make %s", name, env)
				}
			} else {
				deployFile(t, env)
			}
		}
		for _, volume := range listAt(service("volumes")) {
			if source, _, _ := strings.Cut(volume, ":"); strings.HasPrefix(source, "./") {
				deployFile(t, source)
			} else if _, ok := at(t, file, "volumes").(map[string]any)[source]; !ok {
				t.Errorf("%s: there is no volume %s", name, source)
			}
		}
		for _, other := range keysAt(service("depends_on")) {
			if services[other] == nil {
				t.Errorf("%s depends on %s, which is no service", name, other)
			}
		}
	}
	for _, name := range []string{"lectern1", "lectern2"} {
		grace, err := time.ParseDuration(at(t, services, name, "stop_grace_period").(string))
		if err != nil || grace < drainDelay(t)+stopTime {
			t.Errorf("%s is killed after %v (%v) while it drains", name, grace, err)
		}
		if !strings.Contains(deployFile(t, "haproxy.cfg"), "\tserver "+name+" "+name+":3000\n") {
			t.Errorf("the proxy does not know %s", name)
		}
	}
	proxies := envFile(t, deployFile(t, "settings.env"))["LEARNING_TRUSTED_PROXIES"]
	subnet := at(t, file, "networks", "lectern", "ipam", "config", 0, "subnet")
	if subnet != proxies {
		t.Errorf("the proxy is in %v, and %s are trusted", subnet, proxies)
	}
}

func secretNames(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(copiedSecrets(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func listAt(v any) (all []string) {
	items, _ := v.([]any)
	for _, item := range items {
		if s, ok := item.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

func keysAt(v any) []string {
	m, ok := v.(map[string]any)
	if !ok {
		return listAt(v)
	}
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	return keys
}

// TestDeploy_KubernetesProbesAnswer asks a running server what the manifest asks.
func TestDeploy_KubernetesProbesAnswer(t *testing.T) {
	t.Parallel()
	s := serve(t, configured(providers(t), t.TempDir()))
	pod := at(t, kubernetes(t, "Deployment"), "spec", "template", "spec")
	for _, probe := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
		path, _ := at(t, pod, "containers", 0, probe, "httpGet", "path").(string)
		if status, body := rawCall(t, http.MethodGet, s.url+path, "", ""); path == "" ||
			status != http.StatusOK {
			t.Errorf("%s asks for %q and gets %d: %s", probe, path, status, body)
		}
	}
}

// kubernetes returns the object of a kind.
func kubernetes(t *testing.T, kind string) any {
	t.Helper()
	for _, object := range decodeYAML(t, "kubernetes.yaml") {
		if object["kind"] == kind {
			return object
		}
	}
	t.Fatalf("kubernetes.yaml has no %s", kind)
	return nil
}

func TestDeploy_KubernetesObjectsAgree(t *testing.T) {
	t.Parallel()
	deployment := kubernetes(t, "Deployment")
	pod := at(t, deployment, "spec", "template", "spec")
	seconds := func(path ...any) time.Duration {
		n, _ := at(t, pod, path...).(int)
		return time.Duration(n) * time.Second
	}
	probe := func(field string) time.Duration {
		return seconds("containers", 0, "readinessProbe",
			field)
	}
	delay, noticed := drainDelay(t),
		probe("periodSeconds")*time.Duration(probe("failureThreshold")/time.Second)
	if grace := seconds("terminationGracePeriodSeconds"); delay <= noticed ||
		grace < delay+stopTime {
		t.Errorf(
			"the pod is killed after %v, while it is found not ready in %v, waits for %v and "+
				"drains for %v", grace, noticed, delay, stopTime)
	}
	if hook := at(t, pod, "containers", 0, "lifecycle"); hook != nil {
		t.Errorf("LEARNING_DRAIN_DELAY comes after the hook %v", hook)
	}
	port, _ := at(t, pod, "containers", 0, "ports", 0, "containerPort").(int)
	if addr := envFile(t, deployFile(t, "settings.env"))["LEARNING_ADDR"]; addr != ":3000" ||
		port != 3000 {
		t.Errorf("the server listens on %s, and the pod has port %d", addr, port)
	}
	labels := at(t, deployment, "spec", "template", "metadata", "labels", "app")
	for name, label := range map[string]any{
		"deployment": at(t, deployment, "spec", "selector", "matchLabels", "app"),
		"budget": at(t, kubernetes(t, "PodDisruptionBudget"), "spec", "selector", "matchLabels",
			"app"),
		"service": at(t, kubernetes(t, "Service"), "spec", "selector", "app"),
	} {
		if label != labels {
			t.Errorf("the %s selects %v, and the pods are %v", name, label, labels)
		}
	}
	job := at(t, kubernetes(t, "Job"), "spec", "template", "metadata", "labels", "app")
	if job == labels {
		t.Error("the service would send requests to the job")
	}
	if replicas, _ := at(t, deployment, "spec", "replicas").(int); replicas < 2 {
		t.Errorf("%d replicas", replicas)
	}
}

// The policy of the bucket's key is that of docs/operations.md.
func TestDeploy_BucketPolicyIsTheDocumentedOne(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	policy := deployFile(t, "bucket-policy.json")
	for _, action := range []string{"s3:GetObject", "s3:PutObject", "s3:DeleteObject",
		"s3:ListBucket"} {
		if !strings.Contains(policy, `"`+action+`"`) ||
			!strings.Contains(string(page), "`"+action+"`") {
			t.Errorf("%s is not in both", action)
		}
	}
	if strings.Count(policy, `"s3:`) != 4 {
		t.Error("the policy allows more than docs/operations.md lists")
	}
}

// `docker compose up` runs bucket-setup again. The image has a shell and mc, and may have no other
// program.
func TestDeploy_BucketSetupRunsAgain(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	enginetest.Need(t, "sh", err)
	setup, _ := at(t, decodeYAML(t, "compose.yaml")[0], "services", "bucket-setup", "command",
		0).(string)
	setup = strings.ReplaceAll(setup, "$$", "$") // as compose reads it
	for policy, want := range map[string]bool{"lectern": true, "": false} {
		dir := t.TempDir()
		mc := "#!" + shell + "\ncase \"$*\" in\n*'policy attach'*) exit 1 ;;\n" +
			"*'user info'*) echo 'AccessKey: lectern'; echo 'PolicyName: " + policy + "' ;;\nesac\n"
		if err := os.Chmod(write(t, dir, "mc", mc), 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(shell, "-ec", setup)
		cmd.Env = []string{"PATH=" + dir, "BUCKET_KEY_ID=lectern", "BUCKET_KEY_SECRET=secret"}
		if out, err := cmd.CombinedOutput(); (err == nil) != want {
			t.Errorf("with the policy %q: %v\n%s", policy, err, out)
		}
	}
}
