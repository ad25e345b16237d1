package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// licence is a file with the text of one or more licences.
type licence struct {
	file string
	ids  []string // of SPDX
	text string
}

// known are phrases by which texts of licences are recognised, with spaces in place of line ends.
var known = []struct {
	id     string
	phrase string
}{
	{"MIT", "to deal in the Software without restriction"},
	{"Apache-2.0", "Apache License Version 2.0, January 2004"},
	{"Apache-2.0", "Licensed under the Apache License, Version 2.0"},
	{"BSD-3-Clause", "may be used to endorse or promote products derived from this"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose with or without fee"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"OFL-1.1", "SIL OPEN FONT LICENSE Version 1.1"},
	{"Unlicense", "This is free and unencumbered software released into the public domain"},
	{"blessing", "The author disclaims copyright to this source code"},
	{"CC-BY-4.0", "Creative Commons Attribution 4.0"},
}

// isLicence matches the names of files that have to go with a program.
var isLicence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)`)

// readLicences returns the licences of a folder. It returns an error if none of the files has the text of a known
// licence.
func readLicences(folder string) (all []licence, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("find the licence: %w", err)
	}
	recognised := false
	for _, e := range entries {
		if e.IsDir() || !isLicence.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the licence: %w", err)
		}
		l := licence{e.Name(), recognise(string(text)), string(text)}
		recognised = recognised || len(l.ids) > 0
		all = append(all, l)
	}
	if !recognised {
		return nil, fmt.Errorf("%s has no licence that this program knows: read it, and add a phrase of it to known", folder)
	}
	return all, nil
}

// recognise returns the ids of the licences in a text.
func recognise(text string) (ids []string) {
	line := strings.Join(strings.Fields(text), " ")
	last := ""
	for _, k := range known {
		if k.id != last && strings.Contains(strings.ToLower(line), strings.ToLower(k.phrase)) {
			ids, last = append(ids, k.id), k.id
		}
	}
	if strings.Contains(line, "Redistributions in binary form must reproduce") && !strings.Contains(line, "endorse or promote") {
		ids = append(ids, "BSD-2-Clause")
	}
	return ids
}

// runtimeFolder returns the folder of the standard library's licence.
func runtimeFolder() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return runtime.Version()
	}
	return strings.TrimSpace(string(out))
}

// moduleFolders returns the folders of the modules of this module's build, by path@version.
func moduleFolders() (map[string]string, error) {
	out, err := exec.Command("go", "list", "-m", "-json=Path,Version,Dir,Replace", "all").Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w", err)
	}
	all := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m struct{ Path, Version, Dir string }
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list -m: %w", err)
		}
		all[m.Path+"@"+m.Version] = m.Dir
	}
}

// writeLicences writes the texts of all licences into one file.
func writeLicences(name string, all []component) error {
	var b strings.Builder
	b.WriteString("The program contains the modules below. Their licences ask for these texts to go with it.\n")
	for _, c := range all {
		for _, l := range c.licences {
			fmt.Fprintf(&b, "\n%s\n%s %s, %s\n\n%s\n", strings.Repeat("=", 80), c.Path, c.Version, l.file, strings.TrimSpace(l.text))
		}
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("write the licences: %w", err)
	}
	return nil
}
