package main

import (
	"crypto/sha256"
	"encoding/hex"
	"runtime/debug"
	"slices"

	"github.com/google/uuid"
)

// The types below are the part of CycloneDX 1.6 that a document uses.
type (
	document struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Serial       string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []item       `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Time      string `json:"timestamp"`
		Tools     tools  `json:"tools"`
		Component item   `json:"component"`
	}
	tools struct {
		Components []item `json:"components"`
	}
	item struct {
		Ref        string     `json:"bom-ref,omitempty"`
		Type       string     `json:"type"`
		Name       string     `json:"name"`
		Version    string     `json:"version,omitempty"`
		Hashes     []hash     `json:"hashes,omitempty"`
		Licences   []chosen   `json:"licenses,omitempty"`
		PURL       string     `json:"purl,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	chosen struct {
		Licence licenceID `json:"license"`
	}
	licenceID struct {
		ID string `json:"id"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn,omitempty"`
	}
)

// newDocument describes a program with a hash, its build and its modules.
func newDocument(name string, sum [sha256.Size]byte, info *debug.BuildInfo, modules []component, made string) document {
	main := item{
		Ref: purl(info.Main.Path, info.Main.Version), Type: "application", Name: name, Version: info.Main.Version,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}, Licences: []chosen{{licenceID{"MIT"}}},
		PURL: purl(info.Main.Path, info.Main.Version), Properties: buildProperties(info),
	}
	d := document{
		Format: "CycloneDX", Spec: "1.6", Version: 1, Serial: "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceOID, sum[:]).String(),
		Metadata: metadata{made, tools{[]item{{Type: "application", Name: "openlectern/internal/sbom"}}}, main},
	}
	uses := dependency{Ref: main.Ref}
	for _, m := range modules {
		ref := purl(m.Path, m.Version)
		d.Components = append(d.Components, item{Ref: ref, Type: "library", Name: m.Path, Version: m.Version, PURL: ref,
			Licences: m.ids(), Properties: sumProperty(m.Sum)})
		uses.DependsOn = append(uses.DependsOn, ref)
	}
	d.Dependencies = []dependency{uses}
	return d
}

// ids returns the licences of a module, each once.
func (c component) ids() (all []chosen) {
	for _, l := range c.licences {
		for _, id := range l.ids {
			if one := (chosen{licenceID{id}}); !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all
}

// purl returns the package URL of a module.
func purl(path, version string) string {
	if version == "" {
		return "pkg:golang/" + path
	}
	return "pkg:golang/" + path + "@" + version
}

// sumProperty returns the hash of a module in go.sum, which is not the hash of one file.
func sumProperty(sum string) []property {
	if sum == "" {
		return nil
	}
	return []property{{"go:sum", sum}}
}

// buildProperties returns how the program was built.
func buildProperties(info *debug.BuildInfo) (all []property) {
	for _, s := range info.Settings {
		if slices.Contains([]string{"GOOS", "GOARCH", "CGO_ENABLED", "-trimpath", "vcs.revision", "vcs.time"}, s.Key) {
			all = append(all, property{"go:build:" + s.Key, s.Value})
		}
	}
	return append(all, property{"go:version", info.GoVersion})
}
