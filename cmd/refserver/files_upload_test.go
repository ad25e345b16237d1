package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// uploadByTus uploads 30 MB by tus-js-client, in requests of a size, 0 for one. Its connection is
// broken once, and the process pid is killed, unless it is 0. It returns a function that waits for
// the URL of the upload, and the hash of the file.
func uploadByTus(t *testing.T, api, token string, chunk, pid int) (url func() string, hash string) {
	t.Helper()
	modules, err := filepath.Abs("../../.cache/tus/node_modules")
	if err == nil {
		_, err = os.Stat(modules)
	}
	enginetest.Need(t, "tus", err)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/tus")); err != nil {
		t.Fatal(err)
	}
	replaceFolder(t, modules, filepath.Join(dir, "node_modules"))
	content := []byte("%PDF-" + strings.Repeat("0123456789abcdef\n", 30_000_000/17))
	sum := sha256.Sum256(content)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	client := exec.CommandContext(t.Context(), "node", "upload.mjs")
	client.Dir = dir
	client.Env = append(os.Environ(), "API="+api, "TOKEN="+token, "FILE="+file,
		fmt.Sprintf("CHUNK=%d", chunk), fmt.Sprintf("PID=%d", pid))
	var stdout, stderr transcript
	client.Stdout, client.Stderr = &stdout, &stderr
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	return func() string {
		t.Helper()
		if err := client.Wait(); err != nil {
			t.Fatalf("upload.mjs: %v\n%s", err, stderr.String())
		}
		return strings.TrimSpace(stdout.String())
	}, hex.EncodeToString(sum[:])
}

// wantUploaded checks the file of an upload that uploadByTus has made, and returns its id.
func wantUploaded(t *testing.T, url, token, hash string) (fileID string) {
	t.Helper()
	_, answer := call(t, http.MethodGet, url, token, "")
	upload, _ := answer["upload"].(map[string]any)
	file, _ := upload["file"].(map[string]any)
	if file["name"] != "Week 1 ü.pdf" || file["type"] != "application/pdf" ||
		file["sha256"] != hash {
		t.Fatalf("%s: %v", url, answer)
	}
	return file["fileId"].(string)
}

// A client that knows only the protocol uploads a file over a connection that breaks, to a server
// that is killed and started again. Both requests of a part and one of all bytes continue.
func TestUpload_ByAnotherClientWhileTheServerIsKilled(t *testing.T) {
	t.Parallel()
	for name, chunk := range map[string]int{"parts": 4_000_000, "one_request": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := providers(t)
			env := configured(box, t.TempDir())
			env["LEARNING_FILES_SECRET"] = "a secret of files"
			cmd, server, _ := process(t, env)
			educator := join(t, box, server,
				sandbox.User{ID: "user_educator", Role: string(core.Educator)})
			url, hash := uploadByTus(t, server, educator, chunk, cmd.Process.Pid)
			ended(t, cmd)
			env["LEARNING_ADDR"] = strings.TrimPrefix(server, "http://")
			process(t, env)
			wantUploaded(t, url(), educator, hash)
		})
	}
}
