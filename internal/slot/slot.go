// Package slot finds free numbers. Rows that have a number in a unique key are bounded by it.
package slot

// Free returns a number from 0 to limit-1 that is not in taken, and whether there is one. Rows
// with a number in a unique key are bounded so, because the database refuses two with the same. The
// transaction has locked what the rows belong to, such as their user, before it has read taken:
// else concurrent calls would choose the same number. The search begins after the numbers that are
// taken if none of these was freed, so that it usually finds one at once.
func Free(taken []int, limit int) (slot int, found bool) {
	isTaken := make(map[int]bool, len(taken))
	for _, slot := range taken {
		isTaken[slot] = true
	}
	for i := range limit {
		if slot := (len(taken) + i) % limit; !isTaken[slot] {
			return slot, true
		}
	}
	return 0, false
}
