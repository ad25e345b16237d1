package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// TestOpenAPI_PassesLinters runs Spectral's OpenAPI rules and Redocly's recommended ones
// on the document of a handler.
func TestOpenAPI_PassesLinters(t *testing.T) {
	t.Parallel()
	bin, err := filepath.Abs("../../.cache/linters/node_modules/.bin")
	check(t, err)
	_, err = os.Stat(bin)
	enginetest.Need(t, "linters", err)
	file := filepath.Join(t.TempDir(), "openapi.json")
	document := fixtureSite(t, httpapi.WithPublicURL(contracttest.PublicURL)).do(http.MethodGet,
		"/openapi.json", "").Body.Bytes()
	check(t, os.WriteFile(file, document, 0o600))
	for name, lint := range map[string]func(bin, file string) error{"Spectral": spectral,
		"Redocly": redocly} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := lint(bin, file); err != nil {
				t.Error(err)
			}
		})
	}
}

func spectral(bin, file string) error {
	out, err := exec.Command(filepath.Join(bin, "spectral"), "lint", "--ruleset",
		"testdata/linters/spectral.yaml", "--fail-severity", "hint", "--format", "text",
		file).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w:\n%s", err, out)
	}
	return nil
}

func redocly(bin, file string) error {
	command := exec.Command(filepath.Join(bin, "redocly"), "lint", "--config",
		"testdata/linters/redocly.yaml", "--format", "json", file)
	command.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off",
		"REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	out, err := command.Output()
	var found struct {
		Totals   struct{ Errors, Warnings, Ignored int }
		Problems []struct {
			RuleID, Message string
			Location        []struct{ Pointer string }
		}
	}
	if decodeErr := json.Unmarshal(out, &found); decodeErr != nil {
		return fmt.Errorf("%w, %w:\n%s", err, decodeErr, out)
	}
	if problems := found.Totals; problems.Errors+problems.Warnings+problems.Ignored > 0 {
		return fmt.Errorf("%+v", found)
	}
	return err
}
