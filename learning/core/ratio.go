package core

// Ratio returns n/of, rounded half away from zero, or 0 if of is not positive. n must not be
// negative.
func Ratio(n, of int) int {
	if of <= 0 {
		return 0
	}
	return (2*n + of) / (2 * of) // n/of plus a half, without fractions
}
