package sqldb

import (
	"slices"
	"strings"
)

// endsTransaction reports whether a text has a statement that begins or ends a transaction. Such
// statements are refused before they are sent, because a COMMIT stores a part of the change. The
// text does not show each of them, such as a procedure that has one: [Tx.WithHost] finds those by
// a savepoint.
func (d *Dialect) endsTransaction(text string) bool {
	for statement := range strings.SplitSeq(d.withoutQuotes(text), ";") {
		words := strings.Fields(strings.ToUpper(statement))
		if len(words) == 0 {
			continue
		}
		next := ""
		if len(words) > 1 {
			next = words[1]
		}
		switch {
		case slices.Contains(endingWords, words[0]),
			words[0] == "PREPARE" && next == "TRANSACTION",
			d.Name == mysqlDialect.Name && mysqlCommits(words[0], next):
			return true
		case words[0] == "CREATE": // the body of a trigger or procedure has statements of its own
			return false
		}
	}
	return false
}

// endingWords are the first words of the statements that begin or end a transaction.
var endingWords = []string{"BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT"}

// mysqlCommits reports whether a statement with these first words commits the transaction on MySQL.
func mysqlCommits(first, second string) bool {
	switch first {
	case "CREATE", "DROP":
		return second != "TEMPORARY"
	case "SET":
		return strings.HasPrefix(second, "AUTOCOMMIT") || second == "PASSWORD"
	}
	return slices.Contains([]string{"ALTER", "ANALYZE", "CACHE", "CHANGE", "CHECK", "FLUSH", "GRANT",
		"INSTALL", "LOCK", "OPTIMIZE", "RENAME", "REPAIR", "RESET", "REVOKE", "STOP", "TRUNCATE",
		"UNINSTALL", "UNLOCK", "XA"}, first)
}

// withoutQuotes returns a text with a space in place of each comment, and of each text and name in
// quotes. It knows the quotes of the engine: escapes by a backslash on MySQL and in E'…',
// $tag$…$tag$ on PostgreSQL.
func (d *Dialect) withoutQuotes(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		length := d.quoteLength(text, i)
		if length == 0 {
			b.WriteByte(text[i])
			i++
			continue
		}
		b.WriteByte(' ')
		i += length
	}
	return b.String()
}

// quoteLength returns the length of the comment or the quoted text that begins at a place of a
// text, and 0 if none begins there. What has no end ends with the text.
func (d *Dialect) quoteLength(text string, at int) int {
	rest := text[at:]
	isMySQL := d.Name == mysqlDialect.Name
	switch rest[0] {
	case '-':
		// MySQL needs a space after it, because 5--3 is a number.
		isComment := strings.HasPrefix(rest, "--") &&
			(!isMySQL || len(rest) == 2 || rest[2] <= ' ')
		if isComment {
			return lengthTo(rest, 2, "\n")
		}
	case '#':
		if isMySQL {
			return lengthTo(rest, 1, "\n")
		}
	case '/':
		// MySQL runs what is in /*! … */.
		isRun := isMySQL && (strings.HasPrefix(rest, "/*!") || strings.HasPrefix(rest, "/*M!"))
		if strings.HasPrefix(rest, "/*") && !isRun {
			return lengthTo(rest, 2, "*/")
		}
	case '\'', '"', '`':
		isEscape := at > 0 && (text[at-1] == 'E' || text[at-1] == 'e')
		return quotedLength(rest, isMySQL || d.Name == postgresDialect.Name && isEscape)
	case '$':
		tag, _, isClosed := strings.Cut(rest[1:], "$")
		if d.Name == postgresDialect.Name && isClosed && (tag == "" || isName(strings.ToLower(tag))) {
			return lengthTo(rest, len(tag)+2, "$"+tag+"$")
		}
	}
	return 0
}

// lengthTo returns the length of text to the end of the first end that is at or after from.
func lengthTo(text string, from int, end string) int {
	at := strings.Index(text[from:], end)
	if at < 0 {
		return len(text)
	}
	return from + at + len(end)
}

// quotedLength returns the length of the quoted text that text begins with. Two quotes inside are
// one, which needs no case: another quoted text follows.
func quotedLength(text string, hasEscapes bool) int {
	for i := 1; i < len(text); i++ {
		switch {
		case hasEscapes && text[i] == '\\':
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return len(text)
}
