package sqlrules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // the values of constants
)

// Checker checks statements in the order in which a database receives them.
type Checker struct {
	tables map[string]columns // as created and changed by the statements so far
}

// Problems returns what is wrong with a statement; nothing if TiDB and Vitess execute it as MySQL
// does. It remembers the tables that the statement creates or changes.
func (c *Checker) Problems(text string) []string {
	parsed, err := parser.New().ParseOneStmt(text, "", "")
	if err != nil {
		return []string{"TiDB does not understand it: " + err.Error()}
	}
	v := &visitor{}
	v.statement(parsed)
	parsed.Accept(v) // calls v.Enter for each node
	return append(v.problems, c.schema(parsed)...)
}

// visitor collects what is wrong with the nodes of a statement.
type visitor struct{ problems []string }

// say adds a problem if wrong is true.
func (v *visitor) say(wrong bool, format string, args ...any) {
	if wrong {
		v.problems = append(v.problems, fmt.Sprintf(format, args...))
	}
}

// Leave implements ast.Visitor. It keeps the node, and lets the parser go on.
func (v *visitor) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// Enter implements ast.Visitor. It checks a node, and lets the parser go on to the nodes in it.
func (v *visitor) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.SelectStmt:
		v.query(n)
	case *ast.InsertStmt:
		v.insert(n)
	case *ast.UpdateStmt:
		v.say(n.Limit != nil || n.Order != nil,
			"UPDATE with LIMIT or ORDER BY: a sharded Vitess refuses it, and ties make it differ")
		v.say(n.MultipleTable || n.TableRefs.TableRefs.Right != nil || n.With != nil || n.IgnoreErr,
			"UPDATE of more than one table, WITH or IGNORE")
	case *ast.DeleteStmt:
		v.say(n.Limit != nil || n.Order != nil,
			"DELETE with LIMIT or ORDER BY: a sharded Vitess refuses it, and ties make it differ")
		v.say(n.IsMultiTable || n.With != nil || n.IgnoreErr || n.Quick,
			"DELETE from more than one table, WITH, IGNORE or QUICK")
	case *ast.Join:
		v.say(n.NaturalJoin || n.StraightJoin || len(n.Using) > 0,
			"a join by the names of columns, or STRAIGHT_JOIN")
	default:
		v.expression(n)
	}
	const skipChildren = false
	return n, skipChildren
}

// expression checks a node inside a statement, such as a variable or a function. It ignores all
// other nodes.
func (v *visitor) expression(n ast.Node) {
	switch n := n.(type) {
	case *ast.VariableExpr:
		v.say(!n.IsSystem,
			"the user variable @%s: a pool of Vitess may execute the next statement on another "+
				"connection", n.Name)
	case *ast.WindowFuncExpr:
		v.say(true, "the window function %s: Vitess refuses it on more than one shard", n.Name)
	case *ast.FuncCallExpr:
		v.say(!slices.Contains(functions, n.FnName.L),
			"the function %s is not known to work on all engines", n.FnName.L)
	case *ast.AggregateFuncExpr:
		name := strings.ToLower(n.F)
		v.say(!slices.Contains(aggregates, name),
			"the function %s is not known to work on all engines", name)
	case *ast.SetCollationExpr:
		v.say(n.Collate != collation, "the collation %s", n.Collate)
	}
}

var (
	// functions have the same result on all engines, whenever and wherever they are executed,
	// except for the last three.
	functions = []string{"coalesce", "lower", "concat", "char_length", "substr", "substring",
		"replace", "length", "abs", "nullif",
		// The lease of a migration needs the clock of the database.
		"utc_timestamp", "date_add",
		// A migration asks which names the database has.
		"database",
	}
	// aggregates are the functions of many rows that may be used.
	aggregates = []string{"count", "sum", "avg", "min", "max"}
	// variables are those that the store sets for each connection.
	variables = []string{"setnames", "time_zone", "sql_mode", "innodb_lock_wait_timeout"}
)

// collation is that of all text.
const collation = "utf8mb4_bin"

// statement checks the kind of a statement, and the variables of a SET. Stored programs, locks of
// tables, savepoints and temporary tables are missing in TiDB or Vitess, or differ there.
func (v *visitor) statement(n ast.StmtNode) {
	switch n := n.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt, *ast.InsertStmt, *ast.UpdateStmt, *ast.DeleteStmt,
		*ast.BeginStmt, *ast.CommitStmt, *ast.RollbackStmt,
		*ast.CreateTableStmt, *ast.AlterTableStmt, *ast.DropTableStmt:
	case *ast.SetStmt:
		for _, set := range n.Variables {
			name := strings.ToLower(set.Name)
			v.say(set.IsGlobal || !slices.Contains(variables, name), "SET %s", name)
		}
	case *ast.SavepointStmt:
		v.say(!isOfHost(n.Name), savepoints)
	case *ast.ReleaseSavepointStmt:
		v.say(!isOfHost(n.Name), savepoints)
	default:
		v.say(true, "%T is not one of the kinds of statement that all engines have", n)
	}
}

const savepoints = "a savepoint is not one of the kinds of statement that all engines have"

// isOfHost reports whether a savepoint guards the statements of a host, which run on the engine
// that the host has chosen.
func isOfHost(name string) bool { return strings.HasPrefix(name, "host_") }

// query checks a SELECT.
func (v *visitor) query(n *ast.SelectStmt) {
	v.say(n.LockInfo != nil && n.LockInfo.LockType != ast.SelectLockNone,
		"a locking read: TiDB in optimistic mode locks at COMMIT only")
	v.say(n.SelectIntoOpt != nil, "SELECT INTO")
	v.say(n.SelectStmtOpts != nil && n.CalcFoundRows, "SQL_CALC_FOUND_ROWS")
	v.say(len(n.WindowSpecs) > 0 || n.With != nil, "a window, or WITH")
	// LIMIT 1 is allowed, because it asks whether there is a row.
	v.say(n.Limit != nil && n.OrderBy == nil && !isConstant(n.Limit.Count, "1"),
		"LIMIT without ORDER BY: shards and regions answer in any order")
	v.say(n.GroupBy != nil && n.GroupBy.Rollup, "WITH ROLLUP")
}

// insert checks an INSERT.
func (v *visitor) insert(n *ast.InsertStmt) {
	v.say(n.IsReplace || n.IgnoreErr, "REPLACE or IGNORE: a duplicate key must be an error")
	v.say(len(n.OnDuplicate) > 0 && !slices.Contains(countedTables, insertedTable(n)),
		"ON DUPLICATE KEY: a duplicate key must be an error")
	v.say(len(n.Columns) == 0, "INSERT without the names of the columns")
}

// countedTables are the tables whose rows are sums, so that a row that exists is added to, or the
// latest value, so that it is replaced.
var countedTables = []string{"totals", "question_totals", "file_totals", "counters",
	"lecture_positions", "paper_series", "billing", "notifications",
	"quiz_remarks", "assignment_dues"}

// insertedTable returns the name of the table of an INSERT in lower case, or "" if it has several.
func insertedTable(n *ast.InsertStmt) string {
	if source, ok := n.Table.TableRefs.Left.(*ast.TableSource); ok &&
		n.Table.TableRefs.Right == nil {
		if name, ok := source.Source.(*ast.TableName); ok {
			return name.Name.L
		}
	}
	return ""
}

// isConstant reports whether an expression is a constant whose value is printed as text, such as 1
// as "1".
func isConstant(n ast.ExprNode, text string) bool {
	value, ok := n.(ast.ValueExpr)
	return ok && fmt.Sprint(value.GetValue()) == text
}
