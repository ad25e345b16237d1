package httpapi

import "net/http"

// TokenFromCookie returns a handler for a host whose sign-in is a cookie: it copies the value of
// the cookie with a name to the Authorization header that the handler of [New] reads, as the token
// that the verifier of the host gets. A request that has an Authorization header keeps it. Caches
// learn that answers depend on cookies.
//
// Browsers send cookies with requests that pages of other sites cause. The handler of New refuses
// the Origin of such a page, and the cookie should be SameSite=Lax or Strict.
func TokenFromCookie(name string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Cookie")
		cookie, err := r.Cookie(name)
		if err == nil && cookie.Value != "" && r.Header.Get("Authorization") == "" {
			r = r.Clone(r.Context())
			r.Header.Set("Authorization", "Bearer "+cookie.Value)
		}
		next.ServeHTTP(w, r)
	})
}
