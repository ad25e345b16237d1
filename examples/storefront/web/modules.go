package web

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// joinedPath is the file that joins the modules which every page needs. A browser loads six files
// of a host at a time, so that ten modules and a style sheet would take one round more, which is
// half a second on the network of a phone.
const joinedPath = "/js/storefront.js"

// homeModules are the modules of the home page that import() loads. They are served on their own;
// what they import is joined.
var homeModules = []string{"/js/pages/home.js", "/js/components/catalogue.js"}

var (
	// staticImport matches the import and export statements of a module that name a file.
	staticImport = regexp.MustCompile(
		`(?m)^(\s*(?:import|export)\b(?:[^'"();]*?\bfrom)?\s*["'])(\.[^"']+)(["'];?)`)
	// dynamicImport matches the calls of import(), which load a module later.
	dynamicImport = regexp.MustCompile("(\\bimport\\([\"'`])(\\.[^\"'`]+)([\"'`])")
	// renaming matches what a joined module cannot have: imports and exports under another name.
	renaming = regexp.MustCompile(
		`(?m)^\s*(?:(?:import|export)\s*(?:\{[^}]*\bas\b|\*)|import \w|export default\b).*`)
	// topName matches the declarations at the top of a module.
	topName = regexp.MustCompile(`(?m)^(?:export )?(?:async )?(?:function|const|let|class) (\w+)`)
)

// modules are the modules of a storefront.
type modules struct {
	files  fs.FS
	joined []string        // paths of the joined modules, each after those that it imports
	seen   map[string]bool // the joined modules, and those whose imports are being added
}

// newModules finds the modules to join: app.js, and all that it and the home page import, also
// through others. It returns an error if one of them does not exist.
func newModules(files fs.FS) (*modules, error) {
	m := &modules{files: files, seen: map[string]bool{}}
	roots := []string{"/js/app.js"}
	// The modules of the home page stay files of their own; what they import is joined.
	for _, module := range homeModules {
		_, imported, err := m.read(module)
		if err != nil {
			return nil, err
		}
		roots = append(roots, imported...)
	}
	// Add them, each after those that it imports.
	for _, module := range roots {
		if err := m.add(module); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// read returns the source of a module, and the paths of the modules that it imports statically. A
// path begins with /js/, as in the URL.
func (m *modules) read(module string) (source []byte, imported []string, err error) {
	source, err = fs.ReadFile(m.files, "files"+module)
	if err != nil {
		return nil, nil, fmt.Errorf("a module that every page needs: %w", err)
	}
	for _, found := range staticImport.FindAllSubmatch(source, -1) {
		imported = append(imported, resolve(module, found[2]))
	}
	return source, imported, nil
}

// add adds a module to the joined ones, after those that it imports. It does nothing if it was
// called for the module before.
func (m *modules) add(module string) error {
	if m.seen[module] {
		return nil
	}
	m.seen[module] = true // before its imports are added, so that a cycle ends
	_, imported, err := m.read(module)
	if err != nil {
		return err
	}
	for _, other := range imported {
		if err := m.add(other); err != nil {
			return err
		}
	}
	m.joined = append(m.joined, module)
	return nil
}

// join returns the joined modules as one, without the imports at their top: what they import is in
// the same file, before them. They share one scope, so join returns an error if two of them declare
// the same name, or if one of them renames what it imports or exports.
func (m *modules) join() ([]byte, error) {
	var all bytes.Buffer
	declared := map[string]string{} // the module of each name so far; checkNames adds to it
	for _, module := range m.joined {
		source, _, err := m.read(module)
		if err != nil {
			return nil, err
		}
		if err := checkNames(module, source, declared); err != nil {
			return nil, err
		}
		// Without static imports, link changes only the files that import() names.
		body := m.link(module, staticImport.ReplaceAll(source, nil))
		fmt.Fprintf(&all, "// %s\n%s\n\n", strings.TrimPrefix(module, "/js/"),
			bytes.TrimSpace(body))
	}
	return all.Bytes(), nil
}

// checkNames returns an error if a module cannot be joined. declared has the module of each name,
// and gets those of this one.
func checkNames(module string, source []byte, declared map[string]string) error {
	if found := renaming.Find(source); found != nil {
		return fmt.Errorf("%s has %q: the first page needs it, and its modules are joined, so "+
			"that they import and export names as they are", module, bytes.TrimSpace(found))
	}
	for _, found := range topName.FindAllSubmatch(source, -1) {
		name := string(found[1])
		if other := declared[name]; other != "" {
			return fmt.Errorf("%s and %s declare %s: the first page needs both, and its modules "+
				"are joined, so that each has names of its own", other, module, name)
		}
		declared[name] = module
	}
	return nil
}

// link returns the source of a module in which imports name the files that are served: joinedPath
// in place of each joined module, and the path from the root for every other one.
func (m *modules) link(module string, source []byte) []byte {
	for _, imports := range []*regexp.Regexp{staticImport, dynamicImport} {
		source = imports.ReplaceAllFunc(source, func(found []byte) []byte {
			parts := imports.FindSubmatch(found)
			file := resolve(module, parts[2])
			if slices.Contains(m.joined, file) {
				file = joinedPath
			}
			return slices.Concat(parts[1], []byte(file), parts[3])
		})
	}
	return source
}

// resolve returns the path of the file that a module imports as name, which is relative to the
// module.
func resolve(module string, name []byte) string { return path.Join(path.Dir(module), string(name)) }
