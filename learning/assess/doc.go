// Package assess is the room of what is judged: questions and their solutions, quizzes with their
// attempts and results, and what students hand in for assignments with the grades.
//
// It uses packages core, file, catalog and study. The rules of questions (what an answer may be,
// which are drawn, how they are marked) are pure functions, in question*.go and quiz_mark.go. It
// refuses answers after the time of an attempt, and shows no solution before the course says so. It
// knows no AI: what asks one gets at its rows by [ForRooms], and gives recommendations by the port
// [Recommender]. Begin reading at [Service], at quiz_attempt.go for what an attempt is, and at
// assignment_submission.go for what is handed in.
package assess
