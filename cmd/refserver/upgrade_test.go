package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// addedStep is a migration that the newer version of an upgrade has and the older one has not, so
// that every upgrade migrates, also while no migration was added since the last release. It changes
// a table into which the older version inserts rows meanwhile.
const addedStep = `CREATE TABLE {upgraded} (
	id VARCHAR(64) NOT NULL,
	PRIMARY KEY (id)
);
ALTER TABLE {purchases} ADD COLUMN upgraded_by VARCHAR(64) NULL;
ALTER TABLE {purchases} ADD COLUMN upgrades BIGINT NOT NULL DEFAULT 0;
CREATE INDEX {index purchases_upgraded} ON {purchases} (upgraded_by, id);
`

// versions are the programs of an upgrade.
type versions struct {
	from         string // the tag of the older version, or "this version"
	older, newer string // the files of the programs
}

// buildVersions builds the last release, or this version if there is no release, and this version
// with addedStep.
func buildVersions(t *testing.T) versions {
	t.Helper()
	dir := t.TempDir()
	v := versions{from: "this version", older: filepath.Join(dir, "older"),
		newer: filepath.Join(dir, "newer")}
	buildProgram(t, "../..", v.newer, "-overlay", writeOverlay(t, dir))

	describe := exec.Command("git", "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*")
	tag, err := describe.Output()
	if err != nil {
		buildProgram(t, "../..", v.older)
		return v
	}
	v.from = strings.TrimSpace(string(tag))
	source := t.TempDir()
	archive := exec.Command("git", "archive", "--output="+filepath.Join(source, "source.tar"),
		v.from)
	archive.Dir = "../.."
	runCommand(t, archive)
	runCommand(t, exec.Command("tar", "-x", "-C", source, "-f",
		filepath.Join(source, "source.tar")))
	buildProgram(t, source, v.older)
	return v
}

func buildProgram(t *testing.T, source, program string, flags ...string) {
	t.Helper()
	cmd := exec.Command("go",
		slices.Concat([]string{"build", "-o", program}, flags, []string{"./cmd/refserver"})...)
	cmd.Dir = source
	runCommand(t, cmd)
}

// writeOverlay writes a file for the flag -overlay that adds addedStep to the migrations.
func writeOverlay(t *testing.T, dir string) (file string) {
	t.Helper()
	added, err := filepath.Abs("../../learning/store/migrations/9999_upgraded.sql")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{
		"Replace": map[string]string{added: write(t, dir, "upgraded.sql", addedStep)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return write(t, dir, "overlay.json", string(overlay))
}

// startProgram starts another build of the program, which process cannot, because it starts this
// test binary. It has a folder of its own, because the sandbox of a program whose database is a
// server keeps its state in the current folder.
func startProgram(t *testing.T, program string, env environment,
	args ...string) (cmd *exec.Cmd, url string, log *transcript) {
	t.Helper()
	log = &transcript{}
	cmd = exec.Command(program, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = env.process()
	cmd.Stdout, cmd.Stderr = io.Discard, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killAtEnd(t, cmd,
		func() string { return filepath.Base(program) + ":\n" + errorsIn(log.String()) })
	await(t, "the program to listen", func() bool { return listening.MatchString(log.String()) })
	return cmd, "http://" + listening.FindStringSubmatch(log.String())[1], log
}

// upgrade is a deployment of which an instance of the older version runs.
type upgrade struct {
	*deployment
	versions versions
	older    *exec.Cmd
	olderURL string
	olderLog *transcript
}

// newUpgrade starts the older version on an empty database. On SQLite both versions open the same
// file, as they do when a service manager starts the new one before the old one has ended.
func newUpgrade(t *testing.T, v versions, database string) *upgrade {
	t.Helper()
	dir := t.TempDir()
	box := providers(t)
	u := &upgrade{versions: v,
		deployment: &deployment{box: box, till: till.Gateway(box), database: database}}
	u.env = configured(u.box, dir)
	u.env["LEARNING_DATABASE"] = database
	runProgram(t, v.older, u.env, "import", write(t, dir, "shop.json", smallCatalogue))
	u.db = openDatabase(t, database)
	u.older, u.olderURL, u.olderLog = startProgram(t, v.older, u.env)
	return u
}

// students returns people who are known to the older version. It stores them itself, because the
// tables are its own until the new version migrates.
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

// migrate migrates the database with the newer version.
func (u *upgrade) migrate(t *testing.T) {
	t.Helper()
	before := u.count(t, "learning_migrations")
	runProgram(t, u.versions.newer, u.env, "migrate")
	after := u.count(t, "learning_migrations")
	if after <= before {
		t.Errorf("the newer version has applied no step: %d, and before %d", after, before)
	}
	t.Logf("from %s: %d steps, and now %d", u.versions.from, before, after)
}

// startNewer starts the newer version.
func (u *upgrade) startNewer(t *testing.T) {
	t.Helper()
	cmd, url, log := startProgram(t, u.versions.newer, u.env)
	t.Cleanup(func() { wantNoFaults(t, log.String()) })
	u.mu.Lock()
	defer u.mu.Unlock()
	u.cmd, u.url = cmd, url
	u.box.SetWebhookURL(url)
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

// TestUpgrade_OldAndNewOnOneDatabase upgrades without downtime while people buy: the new version
// migrates while the old one serves, then both serve, then only the new one. No request fails.
func TestUpgrade_OldAndNewOnOneDatabase(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "upgrade", nil)
	v := buildVersions(t)
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		newUpgrade(t, v, e.URL(t)).whilePeopleBuy(t)
	})
}

func (u *upgrade) whilePeopleBuy(t *testing.T) {
	t.Helper()
	const each = 40 // people who buy in each phase
	people := u.students(t, 4*each)
	phase := func(i int, servers ...string) *buyers {
		return u.startBuyers(t,
			people[i*each:(i+1)*each], servers...)
	}

	b := phase(0, u.olderURL)
	await(t, "people to buy from the old version", func() bool { return b.bought.Load() > each/4 })
	u.wantCommandsRefused(t)
	u.migrate(t)
	b.wait(t)
	phase(1, u.olderURL).wait(t) // all of it after the migration
	u.startNewer(t)
	phase(2, u.olderURL, u.at()).wait(t)

	b = phase(3, u.at())
	u.stopOlder(t)
	b.wait(t)
	u.wantOlderRefused(t)
	u.wantConsistent(t)
	if n := u.count(t, "enrollments"); n != len(people) {
		t.Errorf("%d of %d people are enrolled", n, len(people))
	}
}

// wantCommandsRefused checks that no command of the newer version migrates the database of the
// older one, whose servers run.
func (u *upgrade) wantCommandsRefused(t *testing.T) {
	t.Helper()
	for _, args := range commandsOnTables {
		cmd := exec.Command(u.versions.newer, args...)
		cmd.Env = u.env.process()
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out),
			"the database is older than this program: migrate it first") {
			t.Errorf("%v of the newer version on the old tables: %v\n%s", args, err, out)
		}
	}
}

// wantOlderRefused checks that the older version does not start on the database of the newer one.
func (u *upgrade) wantOlderRefused(t *testing.T) {
	t.Helper()
	cmd := exec.Command(u.versions.older)
	cmd.Env = u.env.process()
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "the database is newer than this program") {
		t.Errorf("the older version on the new tables: %v\n%s", err, out)
	}
}

// runProgram runs a command of another build of the program.
func runProgram(t *testing.T, program string, env environment, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = env.process()
	runCommand(t, cmd)
}
