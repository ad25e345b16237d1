// Package tutor is the room of what an AI takes part in: the chats of users with the tutor,
// roadmaps, and the quizzes that the AI writes; and of what a language model must do (see [AI]).
//
// It uses packages core, file, catalog, study and assess: it reads what a student has learnt, and
// the quizzes that are written are stored by assess. All calls of the AI go one way (ai.go), which
// bounds the calls that a user has at once and the tokens of a day, and books what was used. Texts
// of users are data in every prompt, marked so that the AI does not obey them. What the AI answers
// is checked before it is used, and asked for once more if it is not valid. Concurrent callers who
// want the same quiz or roadmap share one call. Begin reading at [Service], at chat_turn.go for a
// question to the tutor, at quiz_generate.go for a quiz, and at ai_answer.go for the form of
// answers.
package tutor
