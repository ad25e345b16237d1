package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCommand struct{}

// Run prints the version that the build has recorded.
func (versionCommand) Run(p *program) error {
	_, err := fmt.Fprintln(p.stdout, "refserver", version(), runtime.Version())
	return err
}

// release is the version of a build outside a clone, such as that of a container image. The linker
// sets it: -ldflags="-X main.release=v1.2.3".
var release string

// version returns the release, or else the version of the module, or else "development-" and the
// revision that the program was built from, as far as they are known.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			const digits = 12 // of the hash of the commit, as Go has them in pseudo-versions
			return "development-" + setting.Value[:min(digits, len(setting.Value))]
		}
	}
	return "development"
}
