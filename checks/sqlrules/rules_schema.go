package sqlrules

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	"github.com/pingcap/tidb/pkg/parser/types"
)

// The limits of an index of TiDB, which are those of InnoDB too.
const (
	maxIndexBytes   = 3072
	maxIndexColumns = 16
	bytesPerRune    = 4
)

// columns has the greatest number of bytes that each column of a table takes in an index, by the
// name in lower case.
type columns map[string]int

// schema checks a statement that creates or changes a table, and stores the columns of the table in
// c.tables. Of other statements it checks nothing. It returns what is wrong.
func (c *Checker) schema(n ast.StmtNode) []string {
	if c.tables == nil {
		c.tables = map[string]columns{}
	}
	v := &visitor{}
	switch n := n.(type) {
	case *ast.CreateTableStmt:
		c.tables[n.Table.Name.L] = v.create(n)
	case *ast.AlterTableStmt:
		v.alter(n, c.tables[n.Table.Name.L])
	}
	return v.problems
}

// create checks a CREATE TABLE, and returns the columns of the table.
func (v *visitor) create(n *ast.CreateTableStmt) columns {
	v.say(n.TemporaryKeyword != ast.TemporaryNone, "a temporary table")
	v.say(n.Partition != nil || n.Select != nil || n.ReferTable != nil,
		"PARTITION, AS SELECT or LIKE")
	// The columns, with their sizes for the checks of keys.
	table := columns{}
	hasKey := false
	for _, column := range n.Cols {
		v.column(column)
		table[column.Name.Name.L] = indexBytes(column.Tp)
		hasKey = hasKey || slices.ContainsFunc(column.Options,
			func(o *ast.ColumnOption) bool { return o.Tp == ast.ColumnOptionPrimaryKey })
	}
	// The keys.
	for _, constraint := range n.Constraints {
		v.constraint(constraint, table)
		hasKey = hasKey || constraint.Tp == ast.ConstraintPrimaryKey
	}
	v.say(!hasKey, "a table without a primary key")
	// The options of the table.
	text := map[ast.TableOptionType]string{}
	for _, option := range n.Options {
		text[option.Tp] = option.StrValue
	}
	v.say(!strings.EqualFold(text[ast.TableOptionCollate], collation),
		"a table whose collation is not set to %s", collation)
	return table
}

// column checks the definition of a column.
func (v *visitor) column(n *ast.ColumnDef) {
	name := n.Name.Name.L
	kinds := []byte{mysql.TypeVarchar, mysql.TypeString, mysql.TypeBlob, mysql.TypeMediumBlob,
		mysql.TypeLongBlob, mysql.TypeTiny, mysql.TypeLong, mysql.TypeLonglong, mysql.TypeDatetime}
	v.say(!slices.Contains(kinds, n.Tp.GetType()), "%s has the type %s", name, n.Tp)
	v.say(n.Tp.GetCollate() != "" && n.Tp.GetCollate() != collation &&
		n.Tp.GetCollate() != "binary", "%s has the collation %s", name, n.Tp.GetCollate())
	// The options of the column.
	allowed := []ast.ColumnOptionType{ast.ColumnOptionPrimaryKey, ast.ColumnOptionNotNull,
		ast.ColumnOptionNull, ast.ColumnOptionDefaultValue, ast.ColumnOptionUniqKey,
		ast.ColumnOptionComment}
	for _, option := range n.Options {
		// TiDB cannot add a stored one to a table
		if option.Tp == ast.ColumnOptionGenerated && !option.Stored {
			continue
		}
		v.say(!slices.Contains(allowed, option.Tp),
			"%s has AUTO_INCREMENT, REFERENCES, CHECK, or something else that not all engines "+
				"have (option %d)", name, option.Tp)
	}
}

// constraint checks a key of a table with the given columns.
func (v *visitor) constraint(n *ast.Constraint, table columns) {
	// Only keys and indexes are allowed.
	switch n.Tp {
	case ast.ConstraintPrimaryKey, ast.ConstraintKey, ast.ConstraintIndex, ast.ConstraintUniq,
		ast.ConstraintUniqKey, ast.ConstraintUniqIndex:
	default:
		v.say(true, "%s is a foreign key, a CHECK or a special index", n.Name)
	}
	// Their columns must be whole, and their size must not exceed the limit.
	size := 0
	for _, part := range n.Keys {
		if part.Column == nil {
			v.say(true, "%s is an index of an expression", n.Name)
			continue
		}
		v.say(part.Length > 0, "%s is an index of a prefix", n.Name)
		size += table[part.Column.Name.L]
	}
	v.say(size > maxIndexBytes || len(n.Keys) > maxIndexColumns,
		"the key %s has %d bytes and %d columns", n.Name, size, len(n.Keys))
}

// alter checks the changes of a table, and adds the new columns to table. TiDB refuses two changes
// of one column or index in a statement. An index over a column that the same statement adds or
// drops counts as a change of the column. table must not be nil, so an earlier statement must have
// created it.
func (v *visitor) alter(n *ast.AlterTableStmt, table columns) {
	// Note what each part of the statement changes.
	changed := map[string]bool{}
	change := func(name string) {
		v.say(changed[name], "two changes of the %s in one statement: TiDB answers 8200", name)
		changed[name] = true
	}
	var indexed []string // the columns of new indexes, which may be in several of them
	for _, spec := range n.Specs {
		switch spec.Tp {
		case ast.AlterTableAddColumns:
			for _, column := range spec.NewColumns {
				v.column(column)
				table[column.Name.Name.L] = indexBytes(column.Tp)
				change("column " + column.Name.Name.L)
			}
		case ast.AlterTableDropColumn:
			change("column " + spec.OldColumnName.Name.L)
		case ast.AlterTableAddConstraint:
			v.constraint(spec.Constraint, table)
			change("index " + strings.ToLower(spec.Constraint.Name))
			for _, part := range spec.Constraint.Keys {
				indexed = append(indexed, "column "+part.Column.Name.L)
			}
		case ast.AlterTableDropIndex:
			change("index " + strings.ToLower(spec.Name))
		default:
			v.say(true, "a change of kind %d", spec.Tp)
		}
	}
	// An index that is added may not be over a column that the statement changes.
	for _, name := range indexed {
		v.say(changed[name], "two changes of the %s in one statement: TiDB answers 8200", name)
	}
}

// indexBytes returns the greatest number of bytes of a column in an index. It is more than an index
// may have for a column that must not be in one.
func indexBytes(t *types.FieldType) int {
	switch t.GetType() {
	case mysql.TypeVarchar, mysql.TypeString:
		return bytesPerRune * t.GetFlen()
	case mysql.TypeBlob, mysql.TypeMediumBlob, mysql.TypeLongBlob:
		return maxIndexBytes + 1
	default: // numbers and times
		return 8
	}
}
