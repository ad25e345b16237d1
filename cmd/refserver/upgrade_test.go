package main

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// firstNewStep is the first migration that the last release does not have. Before the first release it begins what an
// upgrade is tried with: refunds, enrolments by hand, coupons and editing.
const firstNewStep = "0045_past_enrollments.sql"

// olderVersion builds the version to upgrade from: the last release, or without a release the commit before
// firstNewStep. It returns the commit and the program.
func olderVersion(t *testing.T) (commit, program string) {
	t.Helper()
	commit, err := gitOutput("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*")
	if err != nil {
		first, err := gitOutput("log", "-1", "--format=%H", "--diff-filter=A", "--", "learning/store/migrations/mysql/"+firstNewStep)
		if err == nil {
			commit, err = gitOutput("rev-parse", first+"^")
		}
		if err != nil {
			t.Skipf("left out: this clone has no history: %v", err)
		}
	}
	source := t.TempDir()
	archive := exec.Command("git", "archive", "--output="+filepath.Join(source, "source.tar"), commit)
	archive.Dir = "../.."
	runCommand(t, archive)
	runCommand(t, exec.Command("tar", "-x", "-C", source, "-f", filepath.Join(source, "source.tar")))
	program = filepath.Join(source, "older")
	build := exec.Command("go", "build", "-o", program, "./cmd/refserver")
	build.Dir = source
	runCommand(t, build)
	return commit, program
}

func gitOutput(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// startProgram starts another build of the program, which process cannot, because it starts this test binary. It has a
// folder of its own, because the sandbox of a program whose database is a server keeps its state in the current folder.
func startProgram(t *testing.T, program string, env environment, args ...string) (cmd *exec.Cmd, url string, log *transcript) {
	t.Helper()
	log = &transcript{}
	cmd = exec.Command(program, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = env.process()
	cmd.Stdout, cmd.Stderr = io.Discard, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killAtEnd(t, cmd, func() string { return "the older version:\n" + errorsIn(log.String()) })
	await(t, "the older version to listen", func() bool { return listening.MatchString(log.String()) })
	return cmd, "http://" + listening.FindStringSubmatch(log.String())[1], log
}

// upgrade is a deployment of which an instance of the older version runs.
type upgrade struct {
	*deployment
	older    *exec.Cmd
	olderURL string
	olderLog *transcript
}

// newUpgrade starts the older version on an empty database. On SQLite both versions open the same file, as they do when
// a service manager starts the new one before the old one has ended.
func newUpgrade(t *testing.T, program, database string) *upgrade {
	t.Helper()
	dir := t.TempDir()
	u := &upgrade{deployment: &deployment{box: providers(t), database: database}}
	u.env = configured(u.box, dir)
	u.env["LEARNING_DATABASE"] = database
	runProgram(t, program, u.env, "import", write(t, dir, "shop.json", smallCatalogue))
	u.db = openDatabase(t, database)
	u.older, u.olderURL, u.olderLog = startProgram(t, program, u.env)
	return u
}

// students returns people who are known to the older version. It stores them itself, because the tables are its own until
// the new version migrates.
func (u *upgrade) students(t *testing.T, n int) []student {
	t.Helper()
	before := u.box.Config().WebhookURL
	defer u.box.SetWebhookURL(before)
	all := make([]student, n)
	for i := range all {
		all[i].id = fmt.Sprintf("student_%d", i)
		all[i].token = join(t, u.box, u.olderURL, sandbox.User{ID: all[i].id})
	}
	return all
}

// stopOlder stops the older version, which must not have logged an error.
func (u *upgrade) stopOlder(t *testing.T) {
	t.Helper()
	if err := u.older.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := ended(t, u.older); status.ExitStatus() != 0 {
		t.Errorf("the old version ended with %v", status)
	}
	if lines := errorsIn(u.olderLog.String()); lines != "" {
		t.Errorf("the old version has logged:\n%s", lines)
	}
}

// TestUpgrade_OldAndNewOnOneDatabase upgrades without downtime while people buy: the new version migrates while the old
// one serves, then both serve, then only the new one. No request fails.
func TestUpgrade_OldAndNewOnOneDatabase(t *testing.T) {
	t.Parallel()
	enginetest.NeedRequired(t, "upgrade")
	commit, program := olderVersion(t)
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		u := newUpgrade(t, program, e.URL(t))
		u.whilePeopleBuy(t, commit)
	})
}

func (u *upgrade) whilePeopleBuy(t *testing.T, commit string) {
	t.Helper()
	const each = 40 // people who buy in each phase
	people := u.students(t, 4*each)
	phase := func(i int, servers ...string) *buyers { return u.startBuyers(t, people[i*each:(i+1)*each], servers...) }

	b := phase(0, u.olderURL)
	await(t, "people to buy from the old version", func() bool { return b.bought.Load() > each/4 })
	steps := u.count(t, "learning_migrations")
	u.printed(t, "migrate")
	t.Logf("from %.8s: %d steps, and now %d", commit, steps, u.count(t, "learning_migrations"))
	b.wait(t)
	phase(1, u.olderURL).wait(t) // all of it after the migration
	u.start(t)
	phase(2, u.olderURL, u.at()).wait(t)

	b = phase(3, u.at())
	u.stopOlder(t)
	b.wait(t)
	u.wantConsistent(t)
	if n := u.count(t, "enrollments"); n != len(people) {
		t.Errorf("%d of %d people are enrolled", n, len(people))
	}
}

// runProgram runs a command of another build of the program.
func runProgram(t *testing.T, program string, env environment, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = env.process()
	runCommand(t, cmd)
}
