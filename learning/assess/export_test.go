package assess

// IsAnswer is isAnswer, for tests outside of the package.
func (q Question) IsAnswer(a Answer) bool { return q.isAnswer(a) }
