package web

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The time that goldmark takes grows with the square of the numbers that these constants bound.
// What is above a bound is shown as text.
const (
	maxNesting = 40     // elements around a block; a list in a list is two of them
	maxMarks   = 4_000  // marks of emphasis and of links in a text
	maxCells   = 20_000 // cells of tables in a text
)

// newMarkdown returns a renderer of CommonMark with tables, struck text and web addresses as links,
// whose time is bounded.
func newMarkdown() goldmark.Markdown {
	blocks, inline := parser.DefaultBlockParsers(), parser.DefaultInlineParsers()
	for i := range blocks {
		switch blocks[i].Value {
		case parser.NewListParser(), parser.NewBlockquoteParser():
			blocks[i].Value = boundedBlock{blocks[i].Value.(parser.BlockParser)}
		}
	}
	for i := range inline {
		switch inline[i].Value {
		case parser.NewLinkParser(), parser.NewEmphasisParser():
			inline[i].Value = boundedInline{inline[i].Value.(parser.InlineParser)}
		}
	}
	inline = append(inline,
		util.Prioritized(boundedInline{extension.NewStrikethroughParser()}, 500),
		util.Prioritized(extension.NewLinkifyParser(), 999))
	paragraphs := append(parser.DefaultParagraphTransformers(),
		util.Prioritized(boundedTable{extension.NewTableParagraphTransformer()}, 200))

	bounded := goldmark.New(goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inline...),
		parser.WithParagraphTransformers(paragraphs...),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)))))
	bounded.Renderer().AddOptions(renderer.WithNodeRenderers(
		util.Prioritized(extension.NewTableHTMLRenderer(), 500),
		util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500)))
	return bounded
}

// boundedBlock opens no block that has more than maxNesting elements around it.
type boundedBlock struct{ parser.BlockParser }

func (b boundedBlock) Open(parent ast.Node, reader text.Reader,
	pc parser.Context) (ast.Node, parser.State) {
	around := 0
	for node := parent; node != nil; node = node.Parent() {
		around++
	}
	if around > maxNesting {
		return nil, parser.NoChildren
	}
	return b.BlockParser.Open(parent, reader, pc)
}

// boundedInline parses no mark after the first maxMarks of a text.
type boundedInline struct{ parser.InlineParser }

var marksKey = parser.NewContextKey()

func (b boundedInline) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if !count(pc, marksKey, 1, maxMarks) {
		return nil
	}
	return b.InlineParser.Parse(parent, block, pc)
}

// CloseBlock ends links that are open at the end of a block.
func (b boundedInline) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if closer, ok := b.InlineParser.(parser.CloseBlocker); ok {
		closer.CloseBlock(parent, block, pc)
	}
}

// boundedTable makes no table with which a text would have more than maxCells cells. A row has as
// many cells as the first one, however short it is.
type boundedTable struct{ parser.ParagraphTransformer }

var cellsKey = parser.NewContextKey()

func (b boundedTable) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	first := node.Lines().At(0)
	columns := bytes.Count(first.Value(reader.Source()), []byte("|"))
	if columns == 0 || count(pc, cellsKey, (columns+1)*node.Lines().Len(), maxCells) {
		b.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// count adds n to a number of the text that is being parsed. It reports whether the sum is at most
// most, and adds nothing if not.
func count(pc parser.Context, key parser.ContextKey, n, most int) bool {
	before, _ := pc.Get(key).(int)
	if before+n > most {
		return false
	}
	pc.Set(key, before+n)
	return true
}
