package enginetest_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// childVariable makes TestBorrower use a server. It is set only in the child processes of the tests
// below, and its value says how the child ends.
const childVariable = "ENGINETEST_CHILD"

// TestBorrower is not a test: the tests below run it in a child process, to check what the child
// leaves.
func TestBorrower(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		return
	}
	u, err := url.Parse(enginetest.MariaDB(t))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\nserver %s\n", u.Host)
	if os.Getenv(childVariable) == "waits" {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // wait until the parent ends this process
	}
}

func TestMain_LeavesNeitherFileNorServer(t *testing.T) {
	server, folder := borrow(t, "returns", func(*os.Process) {})
	awaitRefusal(t, server)
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

func TestMain_InterruptedLeavesNeitherFileNorServer(t *testing.T) {
	server, folder := borrow(t, "waits", func(p *os.Process) { _ = p.Signal(os.Interrupt) })
	awaitRefusal(t, server)
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

func TestServer_EndsWithAKilledTest(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("left out: this system cannot tie a child's life to its parent's")
	}
	server, _ := borrow(t, "waits", func(p *os.Process) { _ = p.Kill() })
	awaitRefusal(t, server)
}

// borrow runs TestBorrower in a child process, ends the child after it has its server, and returns
// the server's address and the folder of the child's temporary files.
func borrow(t *testing.T, how string, end func(*os.Process)) (server, folder string) {
	t.Helper()
	enginetest.MariaDB(t) // skips if it is not installed
	folder = t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestBorrower$")
	child.Env = append(os.Environ(), childVariable+"="+how, "TMPDIR="+folder)
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		fmt.Fprintln(&output, lines.Text())
		if address, ok := strings.CutPrefix(lines.Text(), "server "); ok {
			server = address
			end(child.Process)
		}
	}
	_ = child.Wait() // returns an error if a signal ended the child
	if server == "" {
		t.Fatalf("the child got no server:\n%s", &output)
	}
	return server, folder
}

// awaitRefusal waits until an address refuses connections.
func awaitRefusal(t *testing.T, address string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		_ = conn.Close()
		if time.Now().After(deadline) {
			t.Fatalf("%s still answers", address)
		}
	}
}
