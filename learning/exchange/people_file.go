package exchange

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// A peopleReader reads the rows of a file. next returns io.EOF after the last row, and a
// [PeopleFault] for a row that cannot be read, after which it can be called again.
type peopleReader interface{ next() ([]cell, error) }

// peopleRows returns the reader of a file: see [ParsePeople].
func peopleRows(file io.Reader, format PeopleFormat) (peopleReader, error) {
	// Names in the file, by which its fields are found.
	names := map[string]string{}
	for name, column := range format.Columns {
		names[column] = name
	}
	for _, f := range peopleFields {
		if _, isRenamed := format.Columns[f.name]; !isRenamed && names[f.name] == "" {
			names[f.name] = f.name
		}
	}
	n := namesInFile{names: names, ignoresOthers: len(format.Columns) > 0}

	// A spreadsheet may begin a file with a byte order mark.
	buffered := bufio.NewReaderSize(file, 64<<10)
	if mark, err := buffered.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = buffered.Discard(3) // which were read
	}
	begin, err := buffered.Peek(512) // more empty lines than a file begins with
	if err != nil && err != io.EOF {
		return nil, err
	}
	if begin = bytes.TrimSpace(begin); len(begin) == 0 {
		return nil, errors.New("it is empty")
	}
	if begin[0] == '{' {
		return &jsonPeople{lines: buffered, names: n}, nil
	}
	return newCSVPeople(buffered, n)
}

// namesInFile are the fields of [People] by their names in a file.
type namesInFile struct {
	names         map[string]string
	ignoresOthers bool // whether the file may have other fields
}

// field returns the field of a name, "" for one to ignore.
func (n namesInFile) field(name string) (string, error) {
	field, isKnown := n.names[name]
	if !isKnown && !n.ignoresOthers {
		return "", fmt.Errorf("there is no field %q; the fields are %s", name, namesOfPeople())
	}
	return field, nil
}

// csvPeople reads CSV.
type csvPeople struct {
	rows   *csv.Reader
	fields []string // of the columns
}

// newCSVPeople reads the first line, which has the names of the columns. Their separator is the one
// that is most often in it.
func newCSVPeople(file *bufio.Reader, names namesInFile) (*csvPeople, error) {
	begin, err := file.Peek(32 << 10)
	if err != nil && err != io.EOF {
		return nil, err
	}
	line, _, _ := bytes.Cut(begin, []byte("\n"))
	c := &csvPeople{rows: csv.NewReader(file)}
	c.rows.ReuseRecord = true
	for _, separator := range ",;\t" {
		if bytes.Count(line, []byte(string(separator))) >
			bytes.Count(line, []byte(string(c.rows.Comma))) {
			c.rows.Comma = separator
		}
	}
	columns, err := c.rows.Read()
	if err != nil {
		return nil, err
	}
	for i, column := range columns {
		field, err := names.field(strings.TrimSpace(column))
		if err != nil {
			return nil, fmt.Errorf("column %d of the first line: %w", i+1, err)
		}
		if field != "" && slices.Contains(c.fields, field) {
			return nil, fmt.Errorf("column %d of the first line: %s stands there twice", i+1,
				field)
		}
		c.fields = append(c.fields, field)
	}
	return c, nil
}

// next reads a row.
func (c *csvPeople) next() ([]cell, error) {
	record, err := c.rows.Read()
	if failed, isSyntax := errors.AsType[*csv.ParseError](err); isSyntax {
		return nil, PeopleFault{Line: failed.Line, Column: failed.Column,
			Reason: failed.Err.Error()}
	}
	if err != nil {
		return nil, err
	}
	var cells []cell
	for i, text := range record {
		if c.fields[i] != "" {
			line, column := c.rows.FieldPos(i)
			cells = append(cells, cell{c.fields[i], text, position{line, column}})
		}
	}
	return cells, nil
}

// jsonPeople reads JSON lines.
type jsonPeople struct {
	lines *bufio.Reader
	names namesInFile
	line  int
}

// maxPeopleLine is the length of the longest line in bytes: all texts of a row at their longest,
// with each character escaped.
const maxPeopleLine = 64 << 10

// next reads the object of a line. Empty lines are skipped.
func (j *jsonPeople) next() ([]cell, error) {
	for {
		j.line++
		line, err := j.lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			for errors.Is(err, bufio.ErrBufferFull) { // go on after the line
				_, err = j.lines.ReadSlice('\n')
			}
			return nil, PeopleFault{Line: j.line, Column: 1,
				Reason: fmt.Sprintf("the line is longer than %d bytes", maxPeopleLine)}
		}
		if err != nil && (err != io.EOF || len(line) == 0) {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return j.cells(line)
		}
	}
}

// cells reads the fields of an object. A value must be a text, a number, true, false or null.
func (j *jsonPeople) cells(line []byte) (cells []cell, err error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	fault := func(reason string) error {
		before := line[:min(int(decoder.InputOffset()), len(line))]
		return PeopleFault{Line: j.line, Column: 1 + utf8.RuneCount(before), Reason: reason}
	}
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return nil, fault("is not an object in JSON on one line")
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, fault("is not an object in JSON on one line")
		}
		field, err := j.names.field(fmt.Sprint(name))
		if err != nil {
			return nil, fault(err.Error())
		}
		start := int(decoder.InputOffset())
		for start < len(line) && strings.IndexByte(" \t:", line[start]) >= 0 {
			start++
		}
		value, err := decoder.Token()
		if err != nil {
			return nil, fault("is not an object in JSON on one line")
		}
		if _, isOpen := value.(json.Delim); isOpen {
			return nil, fault(fmt.Sprintf("%s must be a text or a number", name))
		}
		if field == "" || value == nil {
			continue
		}
		at := position{j.line, 1 + utf8.RuneCount(line[:start])}
		cells = append(cells, cell{field, fmt.Sprint(value), at})
	}
	if _, err := decoder.Token(); err != nil {
		return nil, fault("is not an object in JSON on one line")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fault("has more than one object on the line")
	}
	if len(cells) == 0 {
		return nil, fault("has no field that has a value")
	}
	return cells, nil
}
