package pdf

// Box is a rectangle: in points from the lower left corner of the page, or in
// thousandths of an em from the origin of a glyph.
type Box struct{ Left, Bottom, Right, Top float64 }

// Width is the horizontal size of the box.
func (b Box) Width() float64 { return b.Right - b.Left }

// Height is the vertical size of the box.
func (b Box) Height() float64 { return b.Top - b.Bottom }

// Centre is the horizontal middle of the box.
func (b Box) Centre() float64 { return (b.Left + b.Right) / 2 }

// Union returns the smallest box that holds both. The zero Box is empty: its union with another box
// is that one.
func (b Box) Union(o Box) Box {
	switch (Box{}) {
	case b:
		return o
	case o:
		return b
	}
	return Box{
		Left:   min(b.Left, o.Left),
		Bottom: min(b.Bottom, o.Bottom),
		Right:  max(b.Right, o.Right),
		Top:    max(b.Top, o.Top),
	}
}

// Shift returns the box, moved.
func (b Box) Shift(x, y float64) Box {
	return Box{Left: b.Left + x, Bottom: b.Bottom + y, Right: b.Right + x, Top: b.Top + y}
}

// Inset returns the box, smaller by a margin on each side.
func (b Box) Inset(margin float64) Box {
	return Box{
		Left:   b.Left + margin,
		Bottom: b.Bottom + margin,
		Right:  b.Right - margin,
		Top:    b.Top - margin,
	}
}
