package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestTestsOf_ThoseThatStartGoroutines(t *testing.T) {
	const source = `package p
func TestGo(t *testing.T)           { go f() }
func TestGroup(t *testing.T)        { var g sync.WaitGroup; g.Go(f) }
func TestHelper(t *testing.T)       { roomtest.Concurrently(2, f) }
func TestVotes_AtOnce(t *testing.T) { f() }
func TestServers_Race(t *testing.T) { newTwoServers(t) }
func TestCalls(t *testing.T)        { f() }
func TestMain(m *testing.M)         { go f() }
func (s suite) TestMethod(t *testing.T) { go f() }
func helper(t *testing.T)           { go f() }
`
	parsed, err := parser.ParseFile(token.NewFileSet(), "p_test.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := `m/p TestGo concurrent
m/p TestGroup concurrent
m/p TestHelper concurrent
m/p TestVotes_AtOnce concurrent
m/p TestServers_Race others
m/p TestCalls others`
	if got := strings.Join(testsOf("m/p", "p_test.go", parsed), "\n"); got != want {
		t.Errorf("the tests are\n%s\nwant\n%s", got, want)
	}
	for pkg, file := range map[string]string{"m/p": "p_race_test.go",
		"m/internal/lease": "p_test.go"} {
		lines := testsOf(pkg, file, parsed)
		if calls := lines[len(lines)-1]; !strings.HasSuffix(calls, " concurrent") {
			t.Errorf("in %s of %s: %s", file, pkg, calls)
		}
	}
}
