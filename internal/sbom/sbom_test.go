package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// describe runs the command on the program of the test, and returns what it writes.
func describe(t *testing.T) (doc document, licences string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := run(program, dir, "2026-01-02T03:04:05Z", "v1.2.3"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, filepath.Base(program)+".cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadFile(filepath.Join(dir, "THIRD-PARTY-LICENCES.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return doc, string(all)
}

func TestBillOfMaterials_HasEveryModuleOfTheProgram(t *testing.T) {
	doc, licences := describe(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Deps) == 0 || len(doc.Components) != len(info.Deps)+1 || doc.Components[0].Name != "std" {
		t.Fatalf("%d components of %d modules and the standard library", len(doc.Components), len(info.Deps))
	}
	for i, m := range info.Deps {
		c := doc.Components[i+1]
		if c.PURL != "pkg:golang/"+m.Path+"@"+m.Version || len(c.Licences) == 0 || !slices.Contains(doc.Dependencies[0].DependsOn, c.Ref) {
			t.Errorf("%s is described as %+v", m.Path, c)
		}
		if !strings.Contains(licences, m.Path+" "+m.Version) {
			t.Errorf("the licences of %s are missing", m.Path)
		}
	}
	if doc.Format != "CycloneDX" || doc.Metadata.Time != "2026-01-02T03:04:05Z" || doc.Metadata.Component.Version != "v1.2.3" || len(doc.Metadata.Component.Hashes[0].Content) != 64 {
		t.Errorf("the document is %+v", doc.Metadata)
	}
}

func TestLicences_OfTheReferenceServerAreRecognised(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Dir}}{{end}}", "../../cmd/refserver").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Compact(slices.Sorted(strings.Lines(string(out))))
	if len(lines) < 10 {
		t.Fatalf("the reference server has the modules %q", lines)
	}
	for _, line := range lines {
		module, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, err := readLicences(folder); err != nil && module != "github.com/openlectern/openlectern" {
			t.Errorf("%s: %v", module, err)
		}
	}
}

func TestRecognise_Licences(t *testing.T) {
	const bsd2 = "Redistributions in binary form must\nreproduce the above copyright notice"
	for text, want := range map[string]string{
		"to deal\nin the Software without restriction": "MIT",
		bsd2: "BSD-2-Clause",
		bsd2 + " may be used to endorse or promote products derived from this software": "BSD-3-Clause",
		"All rights reserved": "",
	} {
		if got := strings.Join(recognise(text), " "); got != want {
			t.Errorf("%q is recognised as %q, want %q", text, got, want)
		}
	}
}
