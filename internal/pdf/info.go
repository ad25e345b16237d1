package pdf

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

// Info is the metadata of the file.
type Info struct {
	Title, Author, Subject string
	Producer               string    // must not have characters that XML escapes
	CreatedAt              time.Time // omitted if it is zero, or its year is after 9999
}

// dictionary returns the document information dictionary. The producer is also the creator.
func (i Info) dictionary() string {
	dates := ""
	if at := date(i.CreatedAt); at != "" {
		dates = "/CreationDate" + at
	}
	return fmt.Sprintf("<</Title%s/Author%s/Subject%s/Creator%s/Producer%[4]s%[5]s>>",
		textString(i.Title), textString(i.Author), textString(i.Subject), textString(i.Producer),
		dates)
}

// xmp returns the same as dictionary as XMP metadata, which newer programs read.
func (i Info) xmp() []byte {
	var b strings.Builder
	// The id is the same in every file: the XMP specification gives it.
	b.WriteString("<?xpacket begin=\"\ufeff\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/">` +
		`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" ` +
		`xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">`)
	fmt.Fprintf(&b,
		`<dc:title><rdf:Alt><rdf:li xml:lang="x-default">%s</rdf:li></rdf:Alt></dc:title>`,
		escapeXML(i.Title))
	fmt.Fprintf(&b, `<dc:creator><rdf:Seq><rdf:li>%s</rdf:li></rdf:Seq></dc:creator>`,
		escapeXML(i.Author))
	fmt.Fprintf(&b,
		`<dc:description><rdf:Alt><rdf:li xml:lang="x-default">%s</rdf:li></rdf:Alt>`+
			`</dc:description>`, escapeXML(i.Subject))
	fmt.Fprintf(&b,
		`<dc:language><rdf:Bag><rdf:li>en</rdf:li></rdf:Bag></dc:language>`+
			`<pdf:Producer>%s</pdf:Producer><xmp:CreatorTool>%[1]s</xmp:CreatorTool>`, i.Producer)
	if date(i.CreatedAt) != "" {
		fmt.Fprintf(&b, `<xmp:CreateDate>%s</xmp:CreateDate>`,
			i.CreatedAt.UTC().Format(time.RFC3339))
	}
	b.WriteString(`</rdf:Description></rdf:RDF></x:xmpmeta>` + "\n<?xpacket end=\"r\"?>")
	return []byte(b.String())
}

// escapeXML returns text as it may stand between tags of XML.
func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder accepts every write
	return b.String()
}
