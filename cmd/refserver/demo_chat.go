package main

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/learning/tutor"
)

// chat is a conversation of a student with the tutor.
type chat struct {
	moment
	Student string
	Turns   []struct{ Question, Answer string }
}

// turnEvery is the time between two turns of a chat.
const turnEvery = 2 * time.Minute

// seedChats stores the chats of the demo.
func (sd *seeder) seedChats(ctx context.Context) error {
	for _, c := range sd.Chats {
		if err := sd.seedChat(ctx, c); err != nil {
			return fmt.Errorf("chat of %s: %w", c.Student, err)
		}
	}
	return nil
}

// seedChat stores a chat. It does not call the AI, because a real one would cost tokens.
func (sd *seeder) seedChat(ctx context.Context, c chat) error {
	at := c.date(sd.now)
	made := tutor.Chat{ID: uuid.NewString(), UserID: c.Student, CreatedAt: at,
		UpdatedAt: at.Add(time.Duration(len(c.Turns)-1) * turnEvery)} // the time of the last turn
	if err := sd.tx.InsertChat(ctx, made); err != nil {
		return err
	}
	for i, turn := range c.Turns {
		question := tutor.ChatMessage{Role: tutor.AIUser, Content: turn.Question,
			CreatedAt: at}
		answer := tutor.ChatMessage{Role: tutor.AIAssistant, Content: turn.Answer,
			CreatedAt: at}
		before := 2 * i // the number of messages that the chat has
		if err := sd.tx.InsertTurn(ctx, made, before, question, answer); err != nil {
			return err
		}
		at = at.Add(turnEvery)
	}
	return nil
}
