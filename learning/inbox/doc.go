// Package inbox is the room of what users are told: notifications, which of them users have muted,
// and announcements of courses.
//
// Notifications are written by the transactions of what they tell, in all rooms, by core.Changes.
// This room reads them, marks them as read, and keeps them within their bounds. It uses packages
// core, catalog and study, and the rooms of the nouns whose kinds of notifications it lists. It
// refuses kinds that there are not. Begin reading at [Service], and at notification.go in package
// core for how a notification is written.
package inbox
