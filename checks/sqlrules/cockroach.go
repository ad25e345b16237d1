package sqlrules

import (
	"regexp"
	"slices"
	"strings"
)

// CockroachDifferences names what a statement for PostgreSQL asks of CockroachDB that this does not
// have, or does otherwise. It looks for words, because the parser of CockroachDB cannot be had as a
// module. inTransaction says whether the statement is between BEGIN and COMMIT.
//
// The rules are those of CockroachDB's documentation and issues: advisory locks of transactions
// (issue 168355), columns with the collation C (pull request 96828), changes of tables inside a
// transaction (issues 42061 and 114778).
func CockroachDifferences(statement string, inTransaction bool) (differences []string) {
	text := literals.ReplaceAllString(statement, "''")
	for _, rule := range cockroachRules {
		if rule.words.MatchString(text) && (inTransaction || !rule.inTransaction) {
			differences = append(differences, rule.difference)
		}
	}
	for _, call := range calls.FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(call[1])
		if !slices.Contains(cockroachCalls, name) {
			differences = append(differences, "function "+name)
		}
	}
	return differences
}

var (
	literals = regexp.MustCompile(`'(?:[^']|'')*'`)
	// a name before a parenthesis, which also follows the names of types and some keywords
	calls = regexp.MustCompile(`(?i)\b([a-z_][a-z_0-9]*)\(`)
)

// cockroachRules are the rules about words.
var cockroachRules = []struct {
	difference    string
	words         *regexp.Regexp
	inTransaction bool // whether the statement differs inside a transaction only
}{
	{
		difference: "advisory lock",
		words:      regexp.MustCompile(`(?i)\bpg_(try_)?advisory_`),
	},
	{
		difference: "collation of a column",
		words:      regexp.MustCompile(`(?i)\b(VARCHAR\(\d+\)|TEXT|CHAR\(\d+\)) COLLATE `),
	},
	{
		difference:    "change of tables in a transaction",
		words:         regexp.MustCompile(`(?i)^\s*(CREATE|ALTER|DROP)\s`),
		inTransaction: true,
	},
	{
		difference: "procedural statement",
		words:      regexp.MustCompile(`(?i)^\s*DO\b`),
	},
	{
		difference: "LISTEN or NOTIFY",
		words:      regexp.MustCompile(`(?i)^\s*(LISTEN|NOTIFY|UNLISTEN)\b`),
	},
	{
		difference: "LOCK TABLE",
		words:      regexp.MustCompile(`(?i)^\s*LOCK\b`),
	},
	{
		difference: "trigger",
		words:      regexp.MustCompile(`(?i)\bTRIGGER\b`),
	},
	{
		difference: "exclusion constraint",
		words:      regexp.MustCompile(`(?i)\bEXCLUDE\b`),
	},
	{
		difference: "system column",
		words:      regexp.MustCompile(`(?i)\b(ctid|xmin|xmax)\b`),
	},
}

// cockroachCalls are the functions, types and keywords that stand before a parenthesis in the
// statements of the store, and that CockroachDB has.
var cockroachCalls = []string{
	"pg_advisory_xact_lock", // is a rule of its own
	"current_schema", "current_setting", "pg_backend_pid",
	"avg", "coalesce", "concat", "count", "exists", "max", "min", "sum", "length", "lower", "nullif",
	"substr", "substring", "abs", "round", "cast", "char_length",
	"varchar", "timestamp", "char", "numeric",
	"in", "and", "or", "not", "values", "as", "on", "key", "over", "from", "select", "where",
}
