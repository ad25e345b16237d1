package store

import (
	"regexp"
	"strings"
	"testing"
)

// contracting are the steps that remove something. Each names the release since which no
// program uses what it removes, so that the release before the step's own can still run beside it.
var contracting = map[string]string{}

// incompatible matches statements that may break a program of the release before, which runs beside
// the new one during an upgrade: what it reads is gone, or what it inserts lacks a value.
var incompatible = regexp.MustCompile(
	`(?i)\b(DROP\s+(TABLE|COLUMN)|RENAME|MODIFY|CHANGE\s+COLUMN)\b|ADD\s+COLUMN\s+\w+\s+[^,;]*NOT NULL(?:[^,;D]|D[^,;E])*(?:[,;]|$)`)

func TestMigrations_OldProgramRunsBesideTheNewOne(t *testing.T) {
	t.Parallel()
	for _, engine := range []Engine{MySQL, SQLite} {
		for _, s := range stepsOf(t, engine) {
			if contracting[s.Name] != "" {
				continue
			}
			for _, statement := range s.Statements {
				if incompatible.MatchString(statement) {
					t.Errorf(
						"%s %s: the release before this one may fail on:\n%s\nSee \"A new "+
							"migration\" in CONTRIBUTING.md", engine, s.Name, statement)
				}
			}
		}
	}
}

func TestIncompatible_Statements(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]bool{
		"CREATE TABLE a (b INT NOT NULL)":                                false,
		"ALTER TABLE a ADD COLUMN b INT":                                 false,
		"ALTER TABLE a ADD COLUMN b INT NOT NULL DEFAULT 0":              false,
		"ALTER TABLE a ADD COLUMN b VARCHAR(9) NOT NULL DEFAULT ''":      false,
		"ALTER TABLE a ADD KEY b (c)":                                    false,
		"ALTER TABLE a ADD COLUMN b INT NOT NULL":                        true,
		"ALTER TABLE a ADD COLUMN b INT NOT NULL, ADD COLUMN c INT":      true,
		"ALTER TABLE a DROP COLUMN b":                                    true,
		strings.ToLower("DROP TABLE a"):                                  true,
		"ALTER TABLE a RENAME TO b":                                      true,
		"ALTER TABLE a MODIFY b BIGINT":                                  true,
		"ALTER TABLE a ADD COLUMN decided INT NOT NULL":                  true,
		"ALTER TABLE a ADD COLUMN b VARCHAR(9) COLLATE utf8mb4_bin NULL": false,
	} {
		if incompatible.MatchString(statement) != want {
			t.Errorf("%q: incompatible must be %t", statement, want)
		}
	}
}
