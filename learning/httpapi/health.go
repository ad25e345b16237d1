package httpapi

import "net/http"

// health answers that the server runs. It calls no provider and no database.
func (a *api) health(w http.ResponseWriter, _ *call) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("API Working"))
	return nil
}
