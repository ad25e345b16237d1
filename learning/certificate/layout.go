package certificate

import (
	"time"

	"rsc.io/qr"

	"github.com/openlectern/openlectern/internal/pdf"
	"github.com/openlectern/openlectern/learning/certify"
)

// heading is the title of the page.
const heading = "Certificate of Completion"

// The page from top to bottom, in points from its lower left corner. Each text that a person wrote
// has its own box and is made to fit into it; no box overlaps another or the frame. headBox is that
// of the issuer's name on a page without a logo, in place of logoBox and belowLogo.
var (
	middle = pageWidth / 2

	headBox     = box(150, 488, pageWidth-150, 536)
	logoBox     = box(150, 504, pageWidth-150, 541)
	belowLogo   = box(150, 484, pageWidth-150, 499)
	headingBox  = box(120, 422, pageWidth-120, 480)
	certifyBox  = box(150, 375, pageWidth-150, 393)
	nameBox     = box(92, 299, pageWidth-92, 364)
	completeBox = box(150, 267, pageWidth-150, 285)
	titleBox    = box(112, 199, pageWidth-112, 259)
	educatorBox = box(92, 118, 312, 150)
	dateBox     = box(pageWidth-312, 118, pageWidth-92, 150)
	numberBox   = box(120, 74, pageWidth-120, 84)
	urlBox      = box(120, 61, pageWidth-120, 73)
	noteBox     = box(120, 49, pageWidth-120, 59)
)

func box(left, bottom, right, top float64) pdf.Box {
	return pdf.Box{Left: left, Bottom: bottom, Right: right, Top: top}
}

const (
	millimetre = 72 / 25.4
	qrSide     = 30 * millimetre // plus a white margin of four squares, which readers need
	qrBottom   = 98.0
)

// compose draws a certificate on an empty page. It appends to p.missing the characters that no font
// has.
func (r *Renderer) compose(p *page, c certify.Certificate, verifyURL string, code *qr.Code) {
	// Ideographs of one text do not tell whether they are Chinese, Japanese or Korean: the other
	// texts of the page may.
	near := regionOf([]rune(c.StudentName+c.CourseTitle+c.EducatorName), chinese)
	text := func(size float64, colour rgb) style {
		return style{face: regular(), colour: colour, size: size, region: near}
	}
	phrase := style{face: italic(), colour: muted, size: 14.5}

	// From the top of the page to the bottom, because the file's structure has the order in which
	// parts are drawn, and programs read the page aloud in it.
	p.Artifact(p.drawFrame)
	r.head(p, c.IssuerName, text(17, ink))
	p.set("H1", []rune(heading), style{face: regular(), colour: p.accent, size: 42, tracking: 12},
		headingBox)
	p.Artifact(p.drawDivider)
	p.set("P", []rune("This is to certify that"), phrase, certifyBox)
	p.set("P", clean(c.StudentName), text(46, ink), nameBox)
	p.set("P", []rune("has successfully completed the course"), phrase, completeBox)
	p.set("P", clean(c.CourseTitle), text(27, p.accent), titleBox)
	p.signed(clean(c.EducatorName), "Educator", text(15, ink), educatorBox)
	p.signed(date(c), "Date of completion", text(15, ink), dateBox)
	p.drawCode(code, verifyURL)
	p.set("P", clean("Certificate "+c.ID), text(8.5, ink), numberBox)
	p.link(verifyURL, text(8, muted))
	// Characters that no font has are spelled out; the page says where to see them.
	if len(p.missing) > 0 {
		p.set("P",
			[]rune(
				"The characters that are written as U+ and a number are shown as they are at this "+
					"address."),
			style{face: italic(), colour: muted, size: 7.5}, noteBox)
	}
}

// head draws the logo and the issuer's name.
func (r *Renderer) head(p *page, issuer string, look style) {
	name := clean(issuer)
	if r.logo == nil {
		p.set("P", name, spaced(name, look), headBox)
		return
	}
	p.Tagged(pdf.Element{Role: "Figure", Alt: string(name)}, func() {
		p.drawLogo(r.logo, logoBox)
	})
	look.size = 12 // the logo leaves less room
	p.set("P", name, spaced(name, look), belowLogo)
}

// signed draws text, which is a name or a date, in a box, a line below it, and the label what below
// the line. It draws nothing if text is empty.
func (p *page) signed(text []rune, what string, look style, in pdf.Box) {
	if len(text) == 0 {
		return
	}
	p.set("P", text, look, in)
	p.Artifact(func() {
		p.pen(0.6, p.accent.tint(0.55))
		p.Rule(in.Left+10, in.Right-10, in.Bottom-4)
	})
	label := style{face: italic(), colour: muted, size: 10.5}
	p.set("P", []rune(what), label, box(in.Left, in.Bottom-22, in.Right, in.Bottom-8))
}

// drawCode draws the QR code, which has the verify URL. Its alternative text is read aloud.
func (p *page) drawCode(code *qr.Code, verifyURL string) {
	p.Tagged(pdf.Element{Role: "Figure", Alt: "QR code of " + verifyURL}, func() {
		p.fillColour(rgb{})
		p.drawQR(code, middle-qrSide/2, qrBottom, qrSide)
	})
}

// link writes the URL of the QR code as a link. The area of the link is that of the written text.
func (p *page) link(url string, look style) {
	text := clean(url)
	para := p.shaper.fit(text, look, urlBox.Width(), urlBox.Height())
	// The area is as wide as the first line. A long URL may have a second one, of about that width.
	halfWidth := para.lines[0].width * para.size / em / 2
	area := box(middle-halfWidth, urlBox.Bottom, middle+halfWidth, urlBox.Top)
	p.Tagged(pdf.Element{Role: "Link", Link: url, Area: area},
		func() { p.paragraph(para, look, urlBox) })
}

// spaced returns a style with space between letters if the script of text allows it, and else look
// itself. In other scripts letters are joined, or a space between letters has a meaning.
func spaced(text []rune, look style) style {
	switch languageTag(text, look.region) {
	case "", "und-Grek", "und-Cyrl": // Latin, Greek and Cyrillic
		look.tracking = 90
	}
	return look
}

// date returns the day on which the course was completed, or, if that is not known, the day of
// issue; nil if neither is known. The day is that in UTC. The month has its name, because countries
// read the numbers of a date differently.
func date(c certify.Certificate) []rune {
	at := c.CompletedAt
	if at.IsZero() {
		at = c.IssuedAt
	}
	if at.IsZero() {
		return nil
	}
	return []rune(at.In(time.UTC).Format("2 January 2006"))
}
