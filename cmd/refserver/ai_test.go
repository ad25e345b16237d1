package main

import (
	"net/http"
	"testing"
)

func TestAIBudget_BoundsTheTokensOfADay(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, dev(shop(t), "--ai-budget=1")...)
	token := s.token(t, demoStudent)
	if status, answer := call(t, http.MethodPost, s.url+"/api/user/ai-chat", token,
		`{"content":"What is next?"}`); status != http.StatusOK {
		t.Fatalf("the first: status %d, %v", status, answer)
	}
	status, answer := call(t, http.MethodPost, s.url+"/api/user/ai-chat", token,
		`{"content":"What is next?"}`)
	if status != http.StatusTooManyRequests ||
		answer["message"] != "Daily AI budget used up. Please try again tomorrow." {
		t.Errorf("the second: status %d, %v", status, answer)
	}
}
