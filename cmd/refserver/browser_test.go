package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"testing"
)

// journeyOrigin is the front end's in development.
const journeyOrigin = "http://localhost:5173"

// browser sends what front ends send: an Origin, numbers in strings, null for empty
// fields, and fields that the server does not know.
type browser struct {
	t            *testing.T
	api, sandbox string
	token        string
}

type object = map[string]any

// send expects a success that the front end may read.
func (b browser) send(method, path string, body any) object {
	b.t.Helper()
	return b.request(method, b.api+path, "application/json", b.encode(body))
}

func (b browser) encode(body any) []byte {
	if body == nil {
		return nil
	}
	text, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	return text
}

func (b browser) request(method, url, kind string, body []byte) (answer object) {
	b.t.Helper()
	status, header, text := b.raw(method, url, journeyOrigin, kind, body)
	if status != http.StatusOK || header.Get("Access-Control-Allow-Origin") != journeyOrigin {
		b.t.Fatalf("%s %s: status %d, allowed origin %q: %.500s", method, url, status,
			header.Get("Access-Control-Allow-Origin"), text)
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		b.t.Fatalf("%s %s: %v in %.500s", method, url, err, text)
	}
	return answer
}

func (b browser) raw(method, url, origin, kind string, body []byte) (int, http.Header, []byte) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Origin", origin)
	r.Header.Set("Accept", "application/json, */*")
	if len(body) > 0 {
		r.Header.Set("Content-Type", kind)
	}
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res.StatusCode, res.Header, text
}

// signIn signs a user in at the sandbox, and returns the browser with the token.
func (b browser) signIn(userID string) browser {
	b.t.Helper()
	answer := b.request(http.MethodPost, b.sandbox+"/v1/sign-in", "application/json",
		b.encode(object{"userId": userID, "remember": true}))
	b.token, _ = answer["token"].(string)
	return b
}

func objects(v any) (list []object) {
	all, _ := v.([]any)
	for _, one := range all {
		list = append(list, one.(object))
	}
	return list
}

// startForBrowsers starts the program in a process of its own, with its demo and more flags.
func startForBrowsers(t *testing.T, flags ...string) browser {
	t.Helper()
	s := &server{}
	cmd := exec.Command(os.Args[0], dev(t.TempDir(), flags...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdout, cmd.Stderr = &s.stdout, &s.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		ended(t, cmd)
		if t.Failed() {
			t.Logf("stderr:\n%s", s.stderr.String())
		}
	})
	sandbox := "http://" + s.sandbox(t)
	return browser{t: t, api: "http://" + listening.FindStringSubmatch(s.stderr.String())[1],
		sandbox: sandbox}
}
