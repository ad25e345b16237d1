// Command sbom writes what a program of this module is made of, for a release: a software bill of
// materials in the format of CycloneDX 1.6, and the licence texts of all modules in the program.
//
//	go run ./internal/sbom -out FOLDER PROGRAM
//
// It reads the modules from the program, and their licences from the module cache. It
// fails if it does not recognise a licence, because a person must read it then. The result depends on
// the program only, so that it can be reproduced; the time is that of -time.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"
)

func main() {
	out := flag.String("out", ".", "folder for the files")
	made := flag.String("time", time.Now().UTC().Format(time.RFC3339), "time of the release, RFC 3339")
	version := flag.String("version", "", "version of the program, if its build has not recorded it")
	flag.Parse()
	if err := run(flag.Arg(0), *out, *made, *version); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// run writes the files of a program into a folder.
func run(program, out, made, version string) error {
	content, err := os.ReadFile(program)
	if err != nil {
		return fmt.Errorf("read the program: %w", err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("read the modules of the program: %w", err)
	}
	if version != "" {
		info.Main.Version = version
	}
	modules, err := withLicences(info)
	if err != nil {
		return err
	}
	doc := newDocument(filepath.Base(program), sha256.Sum256(content), info, modules, made)
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	if err := os.WriteFile(filepath.Join(out, filepath.Base(program)+".cdx.json"), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return writeLicences(filepath.Join(out, "THIRD-PARTY-LICENCES.txt"), modules)
}

// component is a module in the program with its licences.
type component struct {
	debug.Module
	licences []licence
}

// withLicences returns the modules of a program, the standard library first.
func withLicences(info *debug.BuildInfo) ([]component, error) {
	standard, err := readLicences(runtimeFolder())
	if err != nil {
		return nil, fmt.Errorf("the standard library: %w", err)
	}
	all := []component{{debug.Module{Path: "std", Version: info.GoVersion[len("go"):]}, standard}}
	folders, err := moduleFolders()
	if err != nil {
		return nil, err
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		found, err := readLicences(folders[m.Path+"@"+m.Version])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		all = append(all, component{*m, found})
	}
	return all, nil
}
