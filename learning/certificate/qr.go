package certificate

import (
	"errors"
	"fmt"

	"rsc.io/qr"
)

// maxURL bounds the URL in the QR code, in bytes, so that its squares are at least 0.4 mm
// wide, which phones can read from paper.
const maxURL = 300

var errNoURL = errors.New("the verify URL is empty")

// newQR returns the QR code of a URL. It returns errNoURL for an empty URL, and an error for one
// that is longer than maxURL. The code can still be read if about 15% of it is damaged (level M).
func newQR(url string) (*qr.Code, error) {
	switch {
	case url == "":
		return nil, errNoURL
	case len(url) > maxURL:
		return nil, fmt.Errorf("a verify URL of %d bytes is too long for a QR code: at most %d",
			len(url), maxURL)
	}
	code, err := qr.Encode(url, qr.M)
	if err != nil {
		return nil, fmt.Errorf("draw the QR code: %w", err)
	}
	return code, nil
}

// drawQR fills the dark squares of a code whose lower left corner is at x, y. Adjacent
// squares of a row are one rectangle, so that no gaps show between them.
func (p *page) drawQR(code *qr.Code, x, y, side float64) {
	square := side / float64(code.Size)
	for row := range code.Size {
		for col := 0; col < code.Size; col++ {
			n := 0                       // adjacent dark squares from col on
			for code.Black(col+n, row) { // false beyond the end of the row
				n++
			}
			if n > 0 {
				p.Rect(x+float64(col)*square, y+side-float64(row+1)*square, float64(n)*square,
					square)
			}
			col += n // the square that follows them is light, and the loop passes it
		}
	}
	p.Fill()
}
