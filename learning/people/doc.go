// Package people is the room of users: who a caller is, what the identity provider tells of a user,
// roles, and the list of users. It owns the record of a user, the role that is stored for one, and
// the account: all that decides in which totals a user counts.
//
// It uses package core only, and comes before all other rooms. What the change or the deletion of a
// user causes in them are its [Hooks]. It refuses events that are older than what is stored, and
// tokens without a usable id. Begin reading at [Service], and at identity.go for the events.
package people
