package certificate

import (
	"context"
	"fmt"
	"strings"

	"github.com/openlectern/openlectern/internal/pdf"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
)

// Receipts are drawn here and not in a package of their own, because they need what a certificate
// does: fonts of the host that were found and read once, the shapers, and the setting of text.
var _ papers.Renderer = (*Renderer)(nil)

// A4, in points.
const paperWidth, paperHeight = 595.28, 841.89

// RenderPaper implements [papers.Renderer]: one page of PDF. Every text can be drawn. It shows only
// what stands in the paper, so that the same paper has the same words always, and with the same
// fonts the same bytes. It returns an error if ctx is done at the beginning.
func (r *Renderer) RenderPaper(ctx context.Context, of papers.Paper) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	s := r.shapers.get(r.fonts)
	defer r.shapers.put(s)
	p := newPageOf(paperWidth, paperHeight, s, r.accent)
	p.composePaper(of)
	r.report("paper", of.ID, p.missing)
	return p.Bytes(pdf.Info{
		Title:     titleOf(of) + " " + of.Number.String(),
		Author:    string(clean(of.Content.SellerName)),
		Subject:   string(clean(linesTitle(of))),
		Producer:  producer,
		CreatedAt: of.NumberedAt,
	}), nil
}

// titleOf returns the heading of a paper.
func titleOf(of papers.Paper) string {
	switch of.Kind {
	case papers.CreditNote:
		return "Credit note"
	case papers.Reversal:
		return "Reversal"
	}
	return "Receipt"
}

// linesTitle returns the titles of what was sold.
func linesTitle(of papers.Paper) string {
	titles := make([]string, len(of.Lines))
	for i, line := range of.Lines {
		titles[i] = line.Title
	}
	return strings.Join(titles, ", ")
}

// The page from top to bottom. Each text that a person wrote has its own box and is made to fit
// into it; no box overlaps another.
const paperLeft, paperRight = 56.0, paperWidth - 56

var (
	paperHeadBox   = box(330, 760, paperRight, 792)
	sellerNameBox  = box(paperLeft, 766, 310, 792)
	sellerBox      = box(paperLeft, 676, 310, 762)
	buyerLabelBox  = box(paperLeft, 634, 310, 648)
	buyerBox       = box(paperLeft, 536, 310, 630)
	linesBox       = box(paperLeft, 250, paperRight, 500)
	totalBox       = box(330, 216, paperRight, 240)
	taxBox         = box(paperLeft, 190, paperRight, 206)
	taxNoteBox     = box(paperLeft, 140, paperRight, 182)
	explanationBox = box(paperLeft, 100, paperRight, 130)
	unknownBox     = box(paperLeft, 76, paperRight, 88)
)

// amountWidth is the width of the column of the amounts.
const amountWidth = 120.0

// composePaper draws a paper on an empty page. It appends to p.missing the characters that no font
// has.
func (p *page) composePaper(of papers.Paper) {
	// Ideographs take the forms of the region that the other texts tell; see compose.
	near := regionOf([]rune(of.Content.SellerName+of.Content.SellerAddress+of.Buyer.Name+
		of.Buyer.Address+linesTitle(of)), chinese)
	text := func(size float64, colour rgb, side align) style {
		return style{face: regular(), colour: colour, size: size, region: near, align: side}
	}
	label := style{face: italic(), colour: muted, size: 9.5, align: atStart}

	// Who sells, and what the paper is.
	p.set("P", clean(of.Content.SellerName), text(16, p.accent, atStart), sellerNameBox)
	p.set("H1", []rune(titleOf(of)), text(22, p.accent, atEnd), paperHeadBox)
	p.block(labelled(strings.Split(of.Content.SellerAddress, "\n"), "Tax ID: ",
		of.Content.SellerTaxID), text(9.5, muted, atStart), sellerBox)

	// Who has bought.
	buyer := append([]string{of.Buyer.Name}, strings.Split(of.Buyer.Address, "\n")...)
	buyer = labelled(append(buyer, of.Buyer.Country), "Tax ID: ", of.Buyer.TaxID)
	if strings.TrimSpace(strings.Join(buyer, "")) != "" {
		p.set("P", []rune("Billed to"), label, buyerLabelBox)
		p.block(buyer, text(10.5, ink, atStart), buyerBox)
	}

	// What it is called, and when it was made.
	top := buyerLabelBox.Top
	for _, field := range [][2]string{
		{"Number", of.Number.String()}, {"Date", of.Content.Date},
		{"Date of payment", of.Content.SoldOn}, {"Corrects", of.Content.Corrects},
	} {
		if field[1] == "" {
			continue
		}
		p.set("P", []rune(field[0]), label, box(330, top-16, 430, top))
		p.set("P", clean(field[1]), text(10.5, ink, atEnd), box(430, top-16, paperRight, top))
		top -= 18
	}

	p.drawLines(of, text, label)
	p.drawSums(of, text, label)
}

// drawLines draws what was sold, each line with its amount.
func (p *page) drawLines(
	of papers.Paper, text func(float64, rgb, align) style, label style,
) {
	top := linesBox.Top
	amounts := func(bottom, top float64) pdf.Box {
		return box(paperRight-amountWidth, bottom, paperRight, top)
	}
	end := label
	end.align = atEnd
	p.set("P", []rune("Description"), label, box(paperLeft, top, 300, top+14))
	p.set("P", []rune("Amount"), end, amounts(top, top+14))
	rule := func(y float64) {
		p.Artifact(func() {
			p.pen(0.6, p.accent.tint(0.55))
			p.Rule(paperLeft, paperRight, y)
		})
	}
	rule(top - 2)
	height := min(26, linesBox.Height()/float64(max(len(of.Lines), 1)))
	for _, line := range of.Lines {
		in := box(paperLeft, top-height, paperRight-amountWidth-12, top-3)
		p.set("P", clean(line.Title), text(11, ink, atStart), in)
		p.set("P", []rune(money(line.Amount, of.Currency)), text(11, ink, atEnd),
			amounts(in.Bottom, in.Top))
		top -= height
	}
	rule(linesBox.Bottom)
}

// drawSums draws the total, the tax that it contains, and what a paper does that is no receipt.
func (p *page) drawSums(
	of papers.Paper, text func(float64, rgb, align) style, label style,
) {
	p.set("P", []rune("Total "+money(of.Amount, of.Currency)), text(15, ink, atEnd), totalBox)
	if tax := of.Tax; tax != nil {
		if tax.Amount > 0 || tax.Name != "" {
			named := "Contains tax"
			if tax.Name != "" {
				named = "Contains " + tax.Name
			}
			p.set("P", clean(named+" "+tax.Rate.String()+" %: "+money(tax.Amount, of.Currency)),
				text(10.5, ink, atEnd), taxBox)
		}
		p.set("P", cleanTo(tax.Note, papers.MaxTaxNote), text(10, muted, atStart), taxNoteBox)
	}
	explanation := ""
	switch of.Kind {
	case papers.CreditNote:
		explanation = "The total was refunded. It was paid with receipt " + of.Content.Corrects + "."
	case papers.Reversal:
		explanation = "The refund has failed, so credit note " + of.Content.Corrects +
			" is taken back."
	}
	p.set("P", []rune(explanation), text(10.5, ink, atStart), explanationBox)
	if len(p.missing) > 0 {
		label.size = 7.5
		p.set("P", []rune("Characters that this server has no font for are written as U+ and a "+
			"number."), label, unknownBox)
	}
}

// labelled returns lines with a value after its label as the last one, if there is a value.
func labelled(lines []string, label, value string) []string {
	if value == "" {
		return lines
	}
	return append(lines, label+value)
}

// block draws lines of text from the top of a box. Each is broken where it is too long, and all are
// made smaller until they fit. A line that is read from right to left begins at the right. block
// leaves out empty lines.
func (p *page) block(lines []string, look style, in pdf.Box) {
	var texts [][]rune
	for _, one := range lines {
		if text := cleanTo(one, papers.MaxAddress); len(text) > 0 {
			texts = append(texts, text)
		}
	}
	const spacing = 1.3 // from baseline to baseline, in parts of the size
	var wrapped [][]line
	count := 0
	for size := look.size; ; size *= 0.9 {
		wrapped, count = nil, 0
		for _, text := range texts {
			broken := p.shaper.wrap(text, look, em*in.Width()/size)
			wrapped = append(wrapped, broken)
			count += len(broken)
		}
		look.size = size
		if float64(count)*spacing*size <= in.Height() {
			break
		}
	}
	y := in.Top - look.size
	for i, broken := range wrapped {
		p.Tagged(pdf.Element{Role: "P", Language: languageTag(texts[i], look.region)}, func() {
			for _, l := range broken {
				x := in.Left
				if rightToLeft(texts[i]) {
					x = in.Right - l.width*look.size/em
				}
				p.line(l, x, y, look.size, look.colour)
				p.missing = append(p.missing, l.missing...)
				y -= spacing * look.size
			}
		})
	}
}

// wrap sets text on as few lines as a width allows, in thousandths of the size. It breaks between
// words, or between letters where a word is too long.
func (s *shaper) wrap(text []rune, look style, width float64) (lines []line) {
	advances := s.advances(text, look)
	breaks, ok := fill(advances, s.wordEnds(text), width)
	if !ok {
		breaks, _ = fill(advances, s.letterEnds(text), width)
	}
	start := 0
	for _, end := range append(breaks, len(text)) {
		lines = append(lines, s.shape([]rune(strings.TrimSpace(string(text[start:end]))), look))
		start = end
	}
	return lines
}

// money returns an amount with all decimals of its currency, and the currency.
func money(amount core.Money, currency string) string {
	return currency + " " + core.FixedMoney(amount, currency)
}
