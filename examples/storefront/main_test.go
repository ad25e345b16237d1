package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestRun_ServesUntilItIsStopped(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	printed, stdout := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, flags{API: "http://localhost:3000", Addr: "127.0.0.1:0",
			URL: "https://school.example"}, stdout)
		stdout.Close()
	}()
	start := make([]byte, 1024)
	n, err := printed.Read(start)
	if err != nil {
		t.Fatal(err)
	}
	url, _, _ := strings.Cut(strings.TrimPrefix(string(start[:n]), "Open "), "\n")
	go io.Copy(io.Discard, printed)
	res, err := http.Get(url + "/courses")
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || res.StatusCode != http.StatusOK ||
		!bytes.Contains(page, []byte(`data-api="http://localhost:3000"`)) ||
		!bytes.Contains(page, []byte(`"https://school.example/preview.png"`)) {
		t.Errorf("%d %v\n%s", res.StatusCode, err, page)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRun_ExplainsWhatItCannotUse(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, test := range map[string]struct {
		flags flags
		want  string
	}{
		"a taken address": {flags{API: "http://localhost:3000", Addr: taken.Addr().String()},
			"choose another address"},
		"no address": {flags{API: "http://localhost:3000", Addr: "5173"},
			"it must be host:port"},
		"no URL": {flags{API: "localhost", Addr: "127.0.0.1:0"},
			"it must be an absolute http or https URL"},
		"no sandbox": {flags{API: "http://localhost:3000", Sandbox: "localhost",
			Addr: "127.0.0.1:0"}, "the URL of the sandbox"},
	} {
		if err := run(t.Context(), test.flags, io.Discard); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPageURL_KeepsTheHostOfTheFlag(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for addr, host := range map[string]string{"localhost:0": "localhost",
		"127.0.0.1:0": "127.0.0.1", ":0": "localhost", "0.0.0.0:0": "localhost",
		"[::]:0": "localhost"} {
		if got := pageURL(addr, listener); got != "http://"+host+":"+port {
			t.Errorf("%s: %s", addr, got)
		}
	}
}
