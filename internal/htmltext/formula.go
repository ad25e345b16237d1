package htmltext

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// formula adds a formula in TeX. Dollar signs are around it in Markdown, and backticks within them
// if it has signs that Markdown would take for its own. In plain text \( and \) are around it.
func (w *writer) formula(tex string, isBlock bool) {
	tex = oneLine(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && !unicode.IsSpace(c) {
			return -1
		}
		return c
	}, tex))
	if tex == "" {
		return
	}
	switch {
	case w.isPlain && isBlock:
		tex = "$$" + tex + "$$"
	case w.isPlain:
		tex = `\(` + tex + `\)`
	case isBlock:
		tex = "$$" + guarded(tex) + "$$"
	default:
		tex = "$" + guarded(tex) + "$"
	}
	w.addVerbatim(tex)
}

// guarded returns TeX with backticks around it if Markdown would change it.
func guarded(tex string) string {
	for i := range len(tex) {
		next := byte(' ')
		if i+1 < len(tex) {
			next = tex[i+1]
		}
		isChanged := false
		switch tex[i] {
		case '\\':
			isChanged = isASCIIPunct(next)
		case '<', '`', '*', '~', '|':
			isChanged = true
		case '_': // which marks nothing within a word
			isChanged = i == 0 || !isWordByte(tex[i-1]) && tex[i-1] != '}' && tex[i-1] != ')'
		case ']':
			isChanged = next == '(' || next == '['
		case '&':
			isChanged = referenceLength(tex[i:min(len(tex), i+maxName+2)]) > 0
		}
		if isChanged {
			return "`" + strings.ReplaceAll(tex, "`", "'") + "`"
		}
	}
	return tex
}

// pictureTeX returns the TeX of a picture of a formula, or "" for another picture. Canvas, Moodle,
// MathType and services on the web have different places for it.
func pictureTeX(w *writer, n *node) string {
	if tex := n.attr("data-equation-content"); tex != "" {
		return tex
	}
	if source := n.attr("data-mathml"); source != "" {
		return mathMLTeX(w, source)
	}
	address := n.attr("src")
	alt, _ := strings.CutPrefix(n.attr("alt"), "LaTeX:")
	alt = strings.TrimSpace(alt)
	switch {
	case n.hasClass("equation_image"):
		if alt != "" {
			return alt
		}
		if title := n.attr("title"); title != "" {
			return title
		}
		if _, encoded, found := strings.Cut(address, "/equation_images/"); found {
			encoded, _, _ = strings.Cut(encoded, "?")
			for range 2 {
				if once, err := url.PathUnescape(encoded); err == nil {
					encoded = once
				}
			}
			return encoded
		}
	case n.hasClass("texrender", "tex", "latex"), strings.Contains(address, "/filter/tex/"):
		return strings.TrimSuffix(strings.TrimPrefix(alt, "$$"), "$$")
	case strings.Contains(address, "latex.codecogs.com/"):
		if _, query, found := strings.Cut(address, "?"); found {
			if tex, err := url.PathUnescape(query); err == nil {
				return tex
			}
		}
	}
	return ""
}

// renderedFormula adds the formula of an element that has its MathML as an attribute, unless a
// script with its TeX follows. It reports whether the element is shown.
func (w *writer) renderedFormula(n *node, source string) bool {
	next := n.next
	for next != nil && next.name == "" && strings.TrimSpace(next.text) == "" {
		next = next.next
	}
	if next != nil && next.name == "script" {
		return true
	}
	tex := mathMLTeX(w, source)
	w.formula(tex, n.hasClass("MathJax_Display"))
	return tex != ""
}

// mathSigns are the signs that Moodle's editor writes for those of tags.
var mathSigns = strings.NewReplacer("«", "<", "»", ">", "¨", `"`, "§", "&", "`", "'")

// mathMLTeX returns the TeX of MathML that is the value of an attribute.
func mathMLTeX(w *writer, source string) string {
	if w.budget == nil {
		return ""
	}
	t, err := parse(w.budget, mathSigns.Replace(source))
	if err != nil {
		w.fail(err)
		return ""
	}
	defer w.budget.Free(t.elements)
	return texOf(w, t.root)
}

// texOf returns the TeX of MathML: the one that is noted in it, or else one that is made of its
// elements.
func texOf(w *writer, n *node) string {
	if tex := notedTeX(w, n); tex != "" {
		return tex
	}
	x := texWriter{w: w}
	x.children(n)
	return strings.TrimSpace(string(x.out))
}

// notedTeX returns the TeX that MathML has beside it.
func notedTeX(w *writer, n *node) string {
	for child := n.first; child != nil && w.step(1); child = child.next {
		if child.name == "annotation" {
			if strings.Contains(strings.ToLower(child.attr("encoding")), "tex") {
				return strings.TrimSpace(textOf(child))
			}
		} else if child.name != "" {
			if tex := notedTeX(w, child); tex != "" {
				return tex
			}
		}
	}
	return ""
}

// texWriter writes MathML as TeX.
type texWriter struct {
	w *writer
	// out is the TeX. isOpen is whether a letter after it would belong to its last command.
	out    []byte
	isOpen bool
}

// put writes TeX.
func (x *texWriter) put(tex string) {
	if x.isOpen && tex != "" && isLetter(tex[0]) {
		x.out = append(x.out, ' ')
	}
	x.out, x.isOpen = append(x.out, tex...), x.isOpen && tex == ""
}

// elements returns the children of an element that are elements.
func elements(n *node) (list []*node) {
	for child := n.first; child != nil; child = child.next {
		if child.name != "" {
			list = append(list, child)
		}
	}
	return list
}

func (x *texWriter) children(n *node) {
	for child := n.first; child != nil && x.w.step(1); child = child.next {
		x.write(child)
	}
}

// command writes a command, whose name does not run into what follows.
func (x *texWriter) command(name string) {
	x.put(name)
	x.isOpen = isLetter(name[len(name)-1])
}

// group writes an element between braces, which a single character does not need.
func (x *texWriter) group(n *node) {
	if n == nil {
		x.put("{}")
		return
	}
	if text := strings.TrimSpace(textOf(n)); len(text) == 1 && n.first == n.last &&
		(isLetter(text[0]) || text[0] >= '0' && text[0] <= '9') {
		x.put(text)
		return
	}
	x.braces(n)
}

func (x *texWriter) braces(n *node) {
	x.put("{")
	if n != nil {
		x.write(n)
	}
	x.put("}")
}

// base writes what an exponent or index is set to; nil is nothing. Braces keep several parts
// together. One sign has none, because TeX sets what belongs to a sum above and below a bare \sum
// only.
func (x *texWriter) base(n *node) {
	if n == nil {
		return
	}
	inner := n
	for inner.first != nil && inner.first == inner.last {
		inner = inner.first
	}
	if inner.first != nil {
		x.braces(n)
		return
	}
	x.write(n)
}

// write writes an element.
func (x *texWriter) write(n *node) {
	list := elements(n)
	part := func(i int) *node {
		if i < len(list) {
			return list[i]
		}
		return nil
	}
	switch n.name {
	case "":
		x.text(n.text)
	case "mi", "mn":
		x.identifier(strings.TrimSpace(textOf(n)))
	case "mo":
		x.text(textOf(n))
	case "mtext", "ms":
		if text := oneLine(textOf(n)); text != "" {
			x.put(`\text{` + inText.Replace(text) + "}")
		}
	case "mspace":
		x.command(`\ `)
	case "annotation", "annotation-xml", "mphantom", "none":
	case "mfrac":
		x.put(`\frac`)
		x.braces(part(0))
		x.braces(part(1))
	case "msqrt":
		x.put(`\sqrt{`)
		x.children(n)
		x.put("}")
	case "mroot":
		x.put(`\sqrt[`)
		if index := part(1); index != nil {
			x.write(index)
		}
		x.put("]")
		x.braces(part(0))
	case "msup", "msub", "msubsup", "munder", "mover", "munderover":
		x.script(n.name, part(0), part(1), part(2))
	case "mfenced":
		x.fenced(n, list)
	case "mtable":
		x.put(`\begin{matrix}`)
		for i, row := range list {
			if i > 0 {
				x.put(` \\ `)
			}
			for j, cell := range elements(row) {
				if j > 0 {
					x.put(" & ")
				}
				x.children(cell)
			}
		}
		x.put(`\end{matrix}`)
	default:
		x.children(n)
	}
}

// inText writes the characters of a text that TeX takes for commands.
var inText = strings.NewReplacer(`\`, `}\backslash\text{`, "{", `\{`, "}", `\}`, "%", `\%`,
	"#", `\#`, "&", `\&`, "$", `\$`, "_", `\_`)

// accents are the signs above a letter that TeX has commands for.
var accents = map[string]string{"^": `\hat`, "ˆ": `\hat`, "~": `\tilde`, "˜": `\tilde`,
	"¯": `\overline`, "‾": `\overline`, "_": `\overline`, "→": `\vec`, "⃗": `\vec`, ".": `\dot`,
	"˙": `\dot`, "¨": `\ddot`, "⏞": `\overbrace`}

// script writes an element with an exponent, an index, or signs above and below it.
func (x *texWriter) script(name string, base, first, second *node) {
	if name == "mover" && first != nil {
		if accent := accents[strings.TrimSpace(textOf(first))]; accent != "" {
			x.put(accent)
			x.braces(base)
			return
		}
	}
	x.base(base)
	switch name {
	case "msup", "mover":
		first, second = nil, first
	case "msub", "munder":
		second = nil
	}
	if first != nil {
		x.put("_")
		x.group(first)
	}
	if second != nil {
		x.put("^")
		x.group(second)
	}
}

// fenced writes elements between brackets.
func (x *texWriter) fenced(n *node, list []*node) {
	sign := func(name, other string) string {
		if n.hasAttr(name) {
			return n.attr(name)
		}
		return other
	}
	x.text(sign("open", "("))
	separators := []rune(sign("separators", ","))
	for i, child := range list {
		if i > 0 && len(separators) > 0 {
			x.text(string(separators[min(i-1, len(separators)-1)]))
		}
		x.write(child)
	}
	x.text(sign("close", ")"))
}

// functions are the names that TeX has commands for.
var functions = strings.Fields("sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan " +
	"log ln lg exp lim max min sup inf det gcd dim ker deg arg")

// identifier writes a name or a number.
func (x *texWriter) identifier(name string) {
	switch {
	case slices.Contains(functions, name):
		x.command(`\` + name)
	case utf8.RuneCountInString(name) > 1 && !strings.ContainsFunc(name, func(c rune) bool {
		return !unicode.IsLetter(c)
	}):
		x.put(`\mathrm{` + name + "}")
	default:
		x.text(name)
	}
}

// signs are the characters that TeX writes in another way.
var signs = map[rune]string{
	'\\': `\backslash`, '{': `\{`, '}': `\}`, '%': `\%`, '#': `\#`, '&': `\&`, '$': `\$`,
	'_': `\_`, '−': "-", '×': `\times`, '÷': `\div`, '·': `\cdot`, '⋅': `\cdot`, '±': `\pm`,
	'∓': `\mp`, '≤': `\le`, '≥': `\ge`, '≠': `\ne`, '≈': `\approx`, '≡': `\equiv`, '∼': `\sim`,
	'∝': `\propto`, '∞': `\infty`, '∑': `\sum`, '∏': `\prod`, '∫': `\int`, '∮': `\oint`,
	'∂': `\partial`, '∇': `\nabla`, '√': `\surd`, '→': `\to`, '←': `\leftarrow`,
	'↔': `\leftrightarrow`, '⇒': `\Rightarrow`, '⇔': `\Leftrightarrow`, '∈': `\in`, '∉': `\notin`,
	'⊂': `\subset`, '⊆': `\subseteq`, '∪': `\cup`, '∩': `\cap`, '∅': `\emptyset`, '∀': `\forall`,
	'∃': `\exists`, '¬': `\neg`, '∧': `\land`, '∨': `\lor`, '…': `\dots`, '⋯': `\cdots`,
	'°': `^\circ`, '′': "'", 'α': `\alpha`, 'β': `\beta`, 'γ': `\gamma`, 'δ': `\delta`,
	'ε': `\varepsilon`, 'ϵ': `\epsilon`, 'ζ': `\zeta`, 'η': `\eta`, 'θ': `\theta`, 'ι': `\iota`,
	'κ': `\kappa`, 'λ': `\lambda`, 'μ': `\mu`, 'ν': `\nu`, 'ξ': `\xi`, 'π': `\pi`, 'ρ': `\rho`,
	'σ': `\sigma`, 'τ': `\tau`, 'υ': `\upsilon`, 'φ': `\varphi`, 'ϕ': `\phi`, 'χ': `\chi`,
	'ψ': `\psi`, 'ω': `\omega`, 'Γ': `\Gamma`, 'Δ': `\Delta`, 'Θ': `\Theta`, 'Λ': `\Lambda`,
	'Ξ': `\Xi`, 'Π': `\Pi`, 'Σ': `\Sigma`, 'Φ': `\Phi`, 'Ψ': `\Psi`, 'Ω': `\Omega`,
	'⟨': `\langle`, '⟩': `\rangle`,
}

// text writes characters.
func (x *texWriter) text(s string) {
	for _, c := range oneLine(s) {
		switch sign, isOther := signs[c]; {
		case c >= '\u2061' && c <= '\u2064': // signs that are not seen
		case isOther:
			x.command(sign)
		case c == '\u00a0':
			x.put(" ")
		default:
			x.put(string(c))
		}
	}
}

// The signs around formulas in a text.
var (
	openings = [...]string{`\(`, `\[`, "$$"}
	closings = [...]string{`\)`, `\]`, "$$"}
)

// addWords adds a text. Formulas between \( and \), \[ and \], or two dollar signs are not changed.
func (w *writer) addWords(s string) {
	if w.isPlain || w.style&code != 0 {
		w.addText(s, false)
		return
	}
	done := 0
	var isMissing [len(openings)]bool // a search that found no end is not repeated
	for i := 0; i < len(s); i++ {
		next := strings.IndexAny(s[i:], `\$`)
		if next < 0 {
			break
		}
		i += next
		kind := slices.IndexFunc(openings[:], func(sign string) bool {
			return strings.HasPrefix(s[i:], sign)
		})
		if kind < 0 || isMissing[kind] {
			continue
		}
		tex, _, found := strings.Cut(s[i+2:], closings[kind])
		if isMissing[kind] = !found; !found {
			continue
		}
		if strings.TrimSpace(tex) != "" {
			w.addText(s[done:i], false)
			w.formula(tex, kind > 0)
			done = i + len(tex) + 4
		}
		i += len(tex) + 3
	}
	w.addText(s[done:], false)
}
