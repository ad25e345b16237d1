package httpapi

import "net/http"

// health answers that the server is there, without asking anybody else.
func (a *api) health(w http.ResponseWriter, _ *call) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("API Working"))
	return nil
}
