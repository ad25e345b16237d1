package certificate

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/learning/learning"
)

// about is what the file says of itself. Its only time is that of issue, so that
// the page of a certificate is the same whenever it is made.
type about struct {
	title, author, subject string
	at                     time.Time
}

const producer = "Open Lectern"

func (r *Renderer) about(c learning.Certificate) about {
	return about{
		title:   heading + ": " + string(clean(c.StudentName)),
		author:  string(clean(c.IssuerName)),
		subject: string(clean(c.CourseTitle)),
		at:      c.IssuedAt,
	}
}

// info is the document information dictionary.
func (a about) info() string {
	dates := ""
	if at := pdfDate(a.at); at != "" {
		dates = "/CreationDate" + at
	}
	return fmt.Sprintf("<</Title%s/Author%s/Subject%s/Creator%s/Producer%[4]s%[5]s>>",
		textString(a.title), textString(a.author), textString(a.subject), textString(producer), dates)
}

// xmp says the same once more, for those who read XMP.
func (a about) xmp() []byte {
	var b strings.Builder
	b.WriteString("<?xpacket begin=\"\ufeff\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">`)
	fmt.Fprintf(&b, `<dc:title><rdf:Alt><rdf:li xml:lang="x-default">%s</rdf:li></rdf:Alt></dc:title>`, escapeXML(a.title))
	fmt.Fprintf(&b, `<dc:creator><rdf:Seq><rdf:li>%s</rdf:li></rdf:Seq></dc:creator>`, escapeXML(a.author))
	fmt.Fprintf(&b, `<dc:description><rdf:Alt><rdf:li xml:lang="x-default">%s</rdf:li></rdf:Alt></dc:description>`, escapeXML(a.subject))
	fmt.Fprintf(&b, `<dc:language><rdf:Bag><rdf:li>en</rdf:li></rdf:Bag></dc:language><pdf:Producer>%s</pdf:Producer><xmp:CreatorTool>%[1]s</xmp:CreatorTool>`, producer)
	if pdfDate(a.at) != "" {
		fmt.Fprintf(&b, `<xmp:CreateDate>%s</xmp:CreateDate>`, a.at.UTC().Format(time.RFC3339))
	}
	b.WriteString(`</rdf:Description></rdf:RDF></x:xmpmeta>` + "\n<?xpacket end=\"r\"?>")
	return []byte(b.String())
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}
