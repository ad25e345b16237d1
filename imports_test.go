package openlectern

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/openlectern/openlectern"

type rule struct {
	ours   []string
	banned []string
}

// rooms lists the packages of the parts of the school in their order: each may import those before
// it, except those that stand beside it in one line.
var rooms = [][]string{
	{"learning/core"},
	{"learning/people"},
	{"learning/file"},
	{"learning/catalog"},
	{"learning/study"},
	{"learning/assess"},
	{"learning/due"},
	{"learning/certify"},
	{"learning/payment"},
	{"learning/offer"},
	{"learning/bundle"},
	{"learning/purchase"},
	{"learning/refund"},
	{"learning/sale"},
	{"learning/papers"},
	{"learning/community", "learning/tutor", "learning/staff"},
	{"learning/inbox"},
	{"learning/exchange"},
}

// roomRule is the rule of a room.
func roomRule(room string) rule {
	r := rule{ours: slices.Clone(machinery),
		banned: []string{"net/http", "database/sql", "os", "flag"}}
	for _, floor := range rooms {
		if slices.Contains(floor, room) {
			return r
		}
		r.ours = append(r.ours, floor...)
	}
	panic("no room " + room)
}

// adapterRule is the rule of an adapter to a port that a room declares.
func adapterRule(room string, ours ...string) rule {
	r := roomRule(room)
	return rule{ours: slices.Concat(r.ours, []string{room}, ours),
		banned: []string{"database/sql", "os", "flag"}}
}

// machinery lists the internal packages that the rooms and package learning import.
var machinery = []string{
	"internal/aigate", "internal/answertext", "internal/backoff", "internal/batch",
	"internal/budget", "internal/cartridge",
	"internal/coursepackage", "internal/exportlist", "internal/filetype",
	"internal/htmltext", "internal/lease", "internal/outbox", "internal/packagekind",
	"internal/paging", "internal/partjoin", "internal/plaintext", "internal/qti", "internal/record",
	"internal/safejson",
	"internal/safexml", "internal/safezip", "internal/schedule", "internal/schemas",
	"internal/singleflight", "internal/slot", "internal/text", "internal/thumbnail",
	"internal/webvtt", "internal/wordindex",
}

// drivers lists the packages with the drivers of the engines, and the one that chooses among them.
var drivers = []string{"internal/sqldriver/sqlite", "internal/sqldriver/mysql",
	"internal/sqldriver/postgres", "internal/sqldriver/drivers"}

// engineRule is the rule of a package of store that opens databases with some of the drivers.
func engineRule(drivers ...string) rule {
	return rule{ours: append([]string{"learning", "learning/store", "internal/eventjson",
		"internal/faultystore", "internal/sqldb", "internal/sqldriver"}, drivers...),
		banned: []string{"net/http", "os", "flag"}}
}

// all returns the allowed packages of the module, with those that package learning needs. Every
// package may refuse nil arguments.
func (r rule) all() []string {
	allowed := append([]string{"internal/nilarg"}, r.ours...)
	if slices.Contains(r.ours, "learning") {
		allowed = append(append(allowed, machinery...), slices.Concat(rooms...)...)
	}
	return allowed
}

// importRule says, for each package of the module, which other packages of it
// may be among its dependencies, and which of the standard library may not be
// among its own imports. A package that is not here may not exist.
var importRule = map[string]rule{
	"": {},
	"learning": {ours: slices.Concat(machinery, slices.Concat(rooms...)),
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"learning/core":      roomRule("learning/core"),
	"learning/people":    roomRule("learning/people"),
	"learning/file":      roomRule("learning/file"),
	"learning/catalog":   roomRule("learning/catalog"),
	"learning/study":     roomRule("learning/study"),
	"learning/assess":    roomRule("learning/assess"),
	"learning/certify":   roomRule("learning/certify"),
	"learning/due":       roomRule("learning/due"),
	"learning/payment":   roomRule("learning/payment"),
	"learning/offer":     roomRule("learning/offer"),
	"learning/bundle":    roomRule("learning/bundle"),
	"learning/purchase":  roomRule("learning/purchase"),
	"learning/refund":    roomRule("learning/refund"),
	"learning/sale":      roomRule("learning/sale"),
	"learning/papers":    roomRule("learning/papers"),
	"learning/community": roomRule("learning/community"),
	"learning/tutor":     roomRule("learning/tutor"),
	"learning/staff":     roomRule("learning/staff"),
	"learning/inbox":     roomRule("learning/inbox"),
	"learning/exchange":  roomRule("learning/exchange"),
	"learning/store": {ours: []string{"learning", "internal/eventjson",
		"internal/faultystore", "internal/sqldb", "internal/sqldriver"},
		banned: []string{"net/http", "flag"}},
	"learning/store/sqlite":   engineRule("internal/sqldriver/sqlite"),
	"learning/store/mysql":    engineRule("internal/sqldriver/mysql"),
	"learning/store/postgres": engineRule("internal/sqldriver/postgres"),
	"learning/store/engines":  engineRule(drivers...),
	"learning/httpapi": {ours: []string{"learning", "internal/csvfile", "internal/diskfull",
		"internal/openapi", "internal/spool", "internal/web", "internal/eventjson"},
		banned: []string{"database/sql", "os", "flag"}},
	"learning/identity": adapterRule("learning/people", "internal/provider", "internal/secret"),
	"learning/gateway":  adapterRule("learning/payment", "internal/provider"),
	"learning/stripe":   adapterRule("learning/payment", "internal/provider"),
	"learning/ai":       adapterRule("learning/tutor", "internal/provider"),
	"learning/metrics": {ours: []string{"learning"},
		banned: []string{"net/http", "os", "flag"}},
	"learning/credential": adapterRule("learning/certify", "internal/provider"),
	"learning/webhook": {ours: []string{"learning", "internal/provider", "internal/secret",
		"internal/eventjson"}, banned: []string{"database/sql", "os", "flag"}},
	"learning/media": {ours: adapterRule("learning/file", "internal/diskfull",
		"internal/mediafile").ours,
		banned: []string{"database/sql", "flag"}},
	"learning/media/bucket": adapterRule("learning/file", "internal/mediafile",
		"internal/provider"),
	// Its one renderer fills the ports of two rooms: see paper.go there.
	"learning/certificate": adapterRule("learning/papers", "internal/pdf"),
	"learning/sandbox":     {banned: []string{"database/sql", "flag", "testing"}},
	"learning/learningtest": {ours: []string{"learning", "internal/csvfile", "internal/diskfull",
		"internal/mediatest",
		"internal/openapi",
		"internal/web", "learning/store", "learning/store/engines", "internal/faultystore",
		"internal/spool", "internal/sqldb", "internal/sqldriver", "internal/sqldriver/drivers",
		"internal/sqldriver/sqlite", "internal/sqldriver/mysql", "internal/sqldriver/postgres",
		"learning/sandbox",
		"learning/identity", "learning/gateway", "learning/stripe", "learning/ai", "learning/media",
		"internal/mediafile", "learning/certificate", "learning/credential", "learning/httpapi",
		"learning/httpapi/swaggerui", "",
		"internal/contracttest", "internal/enginetest", "internal/testrun", "internal/invariants",
		"internal/providertest", "internal/provider", "internal/pdf", "internal/eventjson",
		"internal/secret"}},
	"internal/eventjson": {ours: []string{"learning"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/schemas": {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/backoff": {},
	"internal/paging": {ours: append([]string{"learning/core"}, machinery...),
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/slot": {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/text": {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/leftout/all-but-SQLite-and-samples--make-test-runs-it": {},
	"internal/nilarg": {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/batch": {ours: []string{"internal/singleflight"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/budget": {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/htmltext": {ours: []string{"internal/budget"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/cartridge": {ours: []string{"internal/answertext", "internal/budget",
		"internal/coursepackage", "internal/htmltext", "internal/packagekind", "internal/qti",
		"internal/safejson", "internal/safexml", "internal/safezip"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/packagekind": {ours: []string{"internal/budget", "internal/safexml",
		"internal/safezip"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/qti": {ours: []string{"internal/answertext", "internal/budget",
		"internal/coursepackage", "internal/htmltext", "internal/packagekind",
		"internal/safejson", "internal/safexml", "internal/safezip"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/safejson": {ours: []string{"internal/budget"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/safexml": {ours: []string{"internal/budget"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/coursepackage": {ours: []string{"internal/budget", "internal/safejson",
		"internal/safezip"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/safezip": {ours: []string{"internal/budget"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/spool":      {banned: []string{"net/http", "database/sql", "flag"}},
	"internal/exportlist": {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/partjoin":   {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/filetype":   {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/lease": {ours: []string{"internal/backoff", "internal/record"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/diskfull": {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/record": {ours: []string{"internal/backoff"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/webvtt":    {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/wordindex": {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/schedule": {ours: []string{"internal/backoff", "internal/lease",
		"internal/record"}, banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/outbox": {ours: []string{"internal/backoff", "internal/lease",
		"internal/record", "internal/schedule"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/aigate": {ours: []string{"internal/backoff", "internal/lease",
		"internal/record"}, banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/mediafile": {banned: []string{"database/sql", "os", "flag"}},
	"internal/mediatest": {ours: []string{"learning"},
		banned: []string{"database/sql", "os", "flag"}},
	"internal/pdf":          {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/answertext":   {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/csvfile":      {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/plaintext":    {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/singleflight": {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/thumbnail":    {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/openapi": {ours: []string{"internal/schemas"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/web":      {banned: []string{"database/sql", "os", "flag"}},
	"internal/provider": {banned: []string{"database/sql", "os", "flag"}},
	"internal/secret":   {banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/contracttest": {ours: []string{"learning", "internal/csvfile", "internal/diskfull",
		"internal/openapi",
		"internal/web", "learning/store", "learning/store/engines", "internal/faultystore",
		"internal/spool", "internal/sqldb", "internal/sqldriver", "internal/sqldriver/drivers",
		"internal/sqldriver/sqlite", "internal/sqldriver/mysql", "internal/sqldriver/postgres",
		"learning/sandbox",
		"learning/identity", "learning/gateway", "learning/stripe", "learning/ai", "learning/media",
		"internal/mediafile", "learning/credential", "learning/httpapi",
		"learning/httpapi/swaggerui", "", "internal/enginetest", "internal/testrun",
		"internal/invariants", "internal/provider", "internal/providertest", "internal/eventjson",
		"internal/secret"}},
	"internal/roomtest": {ours: []string{"learning", "internal/csvfile", "internal/diskfull",
		"internal/mediatest",
		"internal/openapi",
		"internal/web", "learning/store", "learning/store/engines", "internal/faultystore",
		"internal/spool", "internal/sqldb", "internal/sqldriver", "internal/sqldriver/drivers",
		"internal/sqldriver/sqlite", "internal/sqldriver/mysql", "internal/sqldriver/postgres",
		"learning/sandbox", "learning/learningtest",
		"learning/identity", "learning/gateway", "learning/stripe", "learning/ai", "learning/media",
		"internal/mediafile", "learning/certificate", "learning/credential", "learning/httpapi",
		"learning/httpapi/swaggerui", "",
		"internal/contracttest", "internal/enginetest", "internal/testrun", "internal/invariants",
		"internal/providertest", "internal/provider", "internal/pdf", "internal/eventjson",
		"internal/secret", "internal/till"}},
	"internal/sqldb": {ours: []string{"internal/backoff", "internal/lease",
		"internal/record", "internal/sqldriver"}, banned: []string{"net/http", "flag"}},
	"internal/sqldriver": {banned: []string{"net/http", "os", "flag"}},
	"internal/sqldriver/sqlite": {ours: []string{"internal/sqldriver"},
		banned: []string{"net/http", "flag"}},
	"internal/sqldriver/mysql": {ours: []string{"internal/sqldriver"},
		banned: []string{"net/http", "os", "flag"}},
	"internal/sqldriver/postgres": {ours: []string{"internal/sqldriver"},
		banned: []string{"net/http", "os", "flag"}},
	"internal/sqldriver/drivers": {ours: append([]string{"internal/sqldriver"}, drivers...),
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/faultystore": {ours: []string{"learning"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/storetest": {ours: []string{"learning"},
		banned: []string{"net/http", "database/sql", "flag"}},
	"internal/invariants": {},
	"internal/observertest": {ours: []string{"learning"},
		banned: []string{"net/http", "database/sql", "os", "flag"}},
	"internal/providertest": {ours: []string{"learning", "learning/ai", "learning/gateway",
		"learning/identity", "learning/sandbox", "learning/stripe", "internal/provider",
		"internal/secret"}, banned: []string{"database/sql", "os", "flag"}},
	"internal/till": {ours: append([]string{"learning/core", "learning/payment",
		"learning/gateway", "learning/sandbox", "internal/provider", "internal/secret"},
		machinery...), banned: []string{"database/sql", "os", "flag"}},
	"internal/servertest": {ours: []string{"learning/sandbox"},
		banned: []string{"database/sql", "flag"}},
	"internal/baseline":   {ours: []string{"internal/enginetest", "internal/testrun"}},
	"internal/enginetest": {ours: []string{"internal/testrun"}},
	"internal/testrun":    {banned: []string{"net/http", "database/sql"}},

	"learning/httpapi/swaggerui": {banned: []string{"database/sql", "os", "flag"}},
	"learning/httpapi/redislimit": {ours: []string{"learning", "learning/httpapi",
		"internal/csvfile", "internal/diskfull", "internal/eventjson", "internal/openapi",
		"internal/spool", "internal/web"},
		banned: []string{"database/sql", "os", "flag"}},
	"learning/httpapi/mcpserver": {ours: []string{"learning", "learning/httpapi",
		"internal/csvfile", "internal/diskfull", "internal/eventjson", "internal/openapi",
		"internal/spool", "internal/web"},
		banned: []string{"database/sql", "os", "flag"}},
}

// importsAnything reports whether pkg may import every package, because it is a command or an
// example.
func importsAnything(pkg string) bool {
	return strings.HasPrefix(pkg, "cmd/") || strings.HasPrefix(pkg, "examples/")
}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

// The import rule is what keeps the rules apart from storage and transport.
func TestPackages_ImportOnlyWhatTheRuleAllows(t *testing.T) {
	for _, pkg := range packages(t) {
		name := short(pkg.ImportPath)
		rule, known := importRule[name]
		switch {
		case importsAnything(name):
			continue
		case !known:
			t.Errorf("package %q has no import rule: decide on one and add it to importRule", name)
		}
		for _, dep := range pkg.Deps {
			if ours := short(dep); ours != dep && !slices.Contains(rule.all(), ours) {
				t.Errorf("%s depends on %s", name, ours)
			}
		}
		for _, banned := range rule.banned {
			if slices.Contains(pkg.Imports, banned) {
				t.Errorf("%s imports %s", name, banned)
			}
		}
	}
}

// A program that keeps its media on a disk, counts in memory and serves no agents does not compile
// the clients of a bucket and of Redis, and the protocol of agents.
func TestPackages_OnlyTheOwnerNeedsAClient(t *testing.T) {
	owners := map[string]string{"github.com/minio/": "learning/media/bucket",
		"github.com/gomodule/":             "learning/httpapi/redislimit",
		"github.com/modelcontextprotocol/": "learning/httpapi/mcpserver"}
	for _, pkg := range packages(t) {
		name := short(pkg.ImportPath)
		for _, dep := range pkg.Deps {
			for client, owner := range owners {
				if strings.HasPrefix(dep, client) && name != owner && !importsAnything(name) {
					t.Errorf("%s depends on %s", name, dep)
				}
			}
		}
	}
}

// A program compiles the drivers of the engines whose packages it imports, and the reference page
// if it imports that.
func TestPackages_OnlyTheOwnersNeedDriversAndThePage(t *testing.T) {
	owners := map[string][]string{
		"modernc.org/":              {"learning/store/sqlite", "internal/sqldriver/sqlite"},
		"github.com/go-sql-driver/": {"learning/store/mysql", "internal/sqldriver/mysql"},
		"github.com/jackc/":         {"learning/store/postgres", "internal/sqldriver/postgres"},
		"github.com/swaggest/":      {"learning/httpapi/swaggerui"},
	}
	ofAll := []string{"learning/store/engines", "internal/sqldriver/drivers", "learning/learningtest",
		"internal/contracttest", "internal/roomtest", "internal/enginetest", "internal/baseline"}
	for _, pkg := range packages(t) {
		name := short(pkg.ImportPath)
		if importsAnything(name) || slices.Contains(ofAll, name) {
			continue
		}
		for _, dep := range pkg.Deps {
			for client, owners := range owners {
				if strings.HasPrefix(dep, client) && !slices.Contains(owners, name) {
					t.Errorf("%s depends on %s", name, dep)
				}
			}
		}
	}
}

// A program that embeds the library compiles a library of metrics only if it imports package
// metrics, and none of traces.
func TestPackages_OnlyTheOwnersNeedMetricsAndTraces(t *testing.T) {
	for _, pkg := range packages(t) {
		name := short(pkg.ImportPath)
		if importsAnything(name) || name == "learning/metrics" {
			continue
		}
		for _, dep := range pkg.Deps {
			if strings.HasPrefix(dep, "github.com/prometheus/") ||
				strings.HasPrefix(dep, "go.opentelemetry.io/") {
				t.Errorf("%s depends on %s", name, dep)
			}
		}
	}
}

func short(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}
