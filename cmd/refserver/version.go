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

// version returns the version of the module, or the revision that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return "development-" + setting.Value[:min(12, len(setting.Value))]
		}
	}
	return "development"
}
