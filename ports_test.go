package openlectern_test

import (
	"fmt"
	"go/ast"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/tutor"
)

// ports are the interfaces that a host implements, by the option that takes one.
var ports = map[string]reflect.Type{
	"WithTokens":       reflect.TypeFor[people.TokenVerifier](),
	"WithWebhooks":     reflect.TypeFor[people.WebhookVerifier](),
	"WithRoles":        reflect.TypeFor[people.RoleGranter](),
	"WithProvider":     reflect.TypeFor[payment.Provider](),
	"WithMedia":        reflect.TypeFor[file.Media](),
	"WithFiles":        reflect.TypeFor[file.Store](),
	"WithTax":          reflect.TypeFor[papers.TaxPort](),
	"WithReceipts":     reflect.TypeFor[papers.Renderer](),
	"WithCertificates": reflect.TypeFor[certify.CertificateRenderer](),
	"WithCredentials":  reflect.TypeFor[certify.CredentialIssuer](),
	"WithAI":           reflect.TypeFor[tutor.AI](),
	"WithEvents":       reflect.TypeFor[core.EventHandler](),
	"WithObserver":     reflect.TypeFor[core.Observer](),
	"WithClock":        reflect.TypeFor[core.Clock](),
}

// notPorts are the options of package learning with an argument that may be nil and is no port.
var notPorts = []string{"WithBuyPolicy", "WithInTransaction", "WithLogger"}

// textOf returns the text of a file, with its lines joined by spaces.
func textOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

func TestPorts_AllAreKnownHere(t *testing.T) {
	known := append(slices.Collect(maps.Keys(ports)), notPorts...)
	for _, option := range optionsWithPointers(t) {
		name, isLearning := strings.CutPrefix(option, "learning.")
		if isLearning && !slices.Contains(known, name) {
			t.Errorf("%s takes an interface: add it to ports", option)
		}
	}
}

// The table of the library has each option, and of each port the name and the number of its
// methods.
func TestConfigurationPage_HasEachOptionAndPort(t *testing.T) {
	page, err := os.ReadFile("docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## The library")
	eachOption(t, func(option string, _ []byte, _ *ast.FuncDecl) {
		name := strings.TrimPrefix(option, "learning.")
		if !strings.Contains(section, "`"+name+"`") {
			t.Errorf("docs/configuration.md does not name %s", option)
		}
	})
	for option, port := range ports {
		row := regexp.MustCompile("(?m)^\\| `" + option + "`.*$").FindString(section)
		if want := fmt.Sprintf("| `%s`, %d |", port, port.NumMethod()); !strings.Contains(row, want) {
			t.Errorf("docs/configuration.md: the row of %s is %q, and lacks %q", option, row, want)
		}
	}
}

// The pages of packages tell a host which interfaces there are.
func TestPackageDocs_NamePortsAndPackages(t *testing.T) {
	doc := textOf(t, "learning/doc.go")
	for _, port := range ports {
		if !strings.Contains(doc, "["+port.String()+"]") {
			t.Errorf("learning/doc.go does not name %s", port)
		}
	}
	root := textOf(t, "doc.go")
	err := filepath.WalkDir("learning", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || entry.Name() == "testdata" || entry.Name() == "migrations" {
			return err
		}
		if files, _ := filepath.Glob(path + "/*.go"); len(files) > 0 && path != "learning/testdata" &&
			!regexp.MustCompile(`\b`+path+`[^/a-z]`).MatchString(root) {
			t.Errorf("doc.go does not list package %s", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// numbers are the words of small numbers.
var numbers = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight",
	"nine", "ten", "eleven", "twelve"}

// counted are the sentences that count methods, with the number that the code has.
func counted() map[string]string {
	largest := 0 // of the ports but the payment provider
	for option, port := range ports {
		if option != "WithProvider" {
			largest = max(largest, port.NumMethod())
		}
	}
	count := func(option string) string { return numbers[ports[option].NumMethod()] }
	return map[string]string{
		"README.md": fmt.Sprintf("an interface of one to %s methods, except a payment provider, "+
			"which has %s.", numbers[largest], count("WithProvider")),
		"README.md ": "a type of your own with " + count("WithTokens") + " method, which turns",
		"docs/configuration.md": "`core.Observer`, which has " + count("WithObserver") +
			" method.",
		"docs/mounting.md": "The verifier is a type of your own with " + count("WithTokens") +
			" method:",
	}
}

// countOfMethods is where a sentence counts methods.
var countOfMethods = regexp.MustCompile(
	`\b(?:` + strings.Join(numbers[1:], "|") + `|\d+) methods?\b`)

func TestPages_CountMethodsRight(t *testing.T) {
	files, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, "README.md", "doc.go", "learning/doc.go", "SECURITY.md")
	said := map[string]int{}
	for _, file := range files {
		said[file] = len(countOfMethods.FindAllString(textOf(t, file), -1))
	}
	for file, sentence := range counted() {
		file = strings.TrimSpace(file)
		said[file]--
		if !strings.Contains(textOf(t, file), sentence) {
			t.Errorf("%s does not say %q", file, sentence)
		}
	}
	for file, more := range said {
		if more > 0 {
			t.Errorf("%s counts methods %d times more often than counted knows: add the sentence",
				file, more)
		}
	}
}
