package enginetest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// LockFirst makes [Main] fail if a transaction that the tests ran on the shared MariaDB reads a
// table and changes rows of it afterwards, without a write between the beginning and the read. Such
// a transaction decides by an old state: on MySQL and MariaDB its first read fixes what all later
// reads see, also after it has waited for the lock of the row that it changes. Main reads the
// server's log of all statements. excused has the transactions that may do so, as the beginnings of
// their first statements with ? for each value, and the reasons.
func LockFirst(excused map[string]string) Option {
	return func(o *options) { o.lockFirst, o.excused = true, excused }
}

// statementLog is the name of the file with all statements in the folder of a server.
const statementLog = "statements.log"

// checkLockFirst returns a line for each kind of transaction that breaks the rule of LockFirst,
// sorted. It reads the log of the statements of s.
func checkLockFirst(s *instance, excused map[string]string) ([]string, error) {
	file, err := os.Open(filepath.Join(s.dir, statementLog))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found := map[string]bool{}
	err = eachTransaction(file, func(statements []string) {
		if line := readBeforeWrite(statements); line != "" && !isExcused(statements[0], excused) {
			found[line] = true
		}
	})
	var lines []string
	for line := range found {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines, err
}

// isExcused reports whether the first statement of a transaction begins with a key of excused.
func isExcused(first string, excused map[string]string) bool {
	for beginning := range excused {
		if strings.HasPrefix(first, beginning) {
			return true
		}
	}
	return false
}

// logEntry is the beginning of an entry in the log of statements: the time, which is left out if it
// is that of the entry before, the connection, the command and its text.
var logEntry = regexp.MustCompile(`^(?:\d{6} +[\d:]+)?\t+ *(\d+) (\w+)\t?(.*)$`)

// eachTransaction calls fn with the statements of each transaction in a log, without BEGIN and
// COMMIT. In each statement white space is one space, and each value is ?.
func eachTransaction(log io.Reader, fn func(statements []string)) error {
	open := map[string][]string{} // the statements of the open transactions, by connection

	// endEntry uses the current entry of the log. The first call, before any entry, does nothing,
	// because command is "".
	var connection, command, text string
	endEntry := func() {
		statement := literal.ReplaceAllString(strings.Join(strings.Fields(text), " "), "?")
		_, isOpen := open[connection]
		switch {
		case command != "Query":
			if command == "Quit" { // the server rolls back
				delete(open, connection)
			}
		case strings.HasPrefix(statement, "START TRANSACTION"):
			open[connection] = []string{}
		case statement == "COMMIT" || statement == "ROLLBACK":
			if list := open[connection]; len(list) > 0 {
				fn(list)
			}
			delete(open, connection)
		case isOpen:
			open[connection] = append(open[connection], statement)
		}
	}

	// A line that is not the beginning of an entry continues the text of the entry before.
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadString('\n')
		if entry := logEntry.FindStringSubmatch(strings.TrimSuffix(line, "\n")); entry != nil {
			endEntry()
			connection = entry[1]
			command = entry[2]
			text = entry[3]
		} else {
			text += " " + line
		}
		if err == io.EOF {
			endEntry()
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// literal is a value in a statement.
var literal = regexp.MustCompile(`'(?:[^'\\]|\\.)*'|\b\d+\b`)

var (
	readTables   = regexp.MustCompile(`(?i)\b(?:FROM|JOIN) (\w+)`)
	changedTable = regexp.MustCompile(`(?i)^(?:UPDATE|DELETE FROM) (\w+)`)
)

// readBeforeWrite returns a description of a transaction that reads a table before its first write,
// and then, with this or a later statement, updates or deletes rows of it. It returns "" for any
// other transaction.
func readBeforeWrite(statements []string) string {
	var read []string // the tables that were read so far
	for i, statement := range statements {
		if strings.HasPrefix(statement, "SELECT") || strings.HasPrefix(statement, "(SELECT") {
			for _, match := range readTables.FindAllStringSubmatch(statement, -1) {
				read = append(read, match[1])
			}
			continue
		}
		// This is the first write.
		if len(read) == 0 {
			return "" // it begins with a write
		}
		for _, later := range statements[i:] {
			if match := changedTable.FindStringSubmatch(later); match != nil &&
				slices.Contains(read, match[1]) {
				return fmt.Sprintf("reads %s and then changes it: %.200s; %.200s", match[1],
					statements[0], later)
			}
		}
		return ""
	}
	return ""
}
