package learning

// System has the operations of the host itself: commands, scheduled work, imports. They take
// no [core.Actor] and check no permission, so nothing that a user sends may reach them unchecked.
// [Platform.System] returns it. It is safe for concurrent use.
type System struct{ platform *Platform }

// System returns the operations that take no [core.Actor].
func (p *Platform) System() System { return System{p} }
