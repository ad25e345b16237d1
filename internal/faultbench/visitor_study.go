//go:build linux

package faultbench

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// buy opens an order, pays it, and reports whether the user is enrolled. The client proves the payment, or the gateway
// reports it, or both, or neither.
func (v *visitor) buy(ctx context.Context, c course) bool {
	var order struct{ OrderID string }
	status := v.repeat(ctx, func() int {
		return v.call(ctx, "purchase.create", areaPurchase, http.MethodPost, "/api/user/purchase", body{"courseId": c.id}, &order)
	})
	if status != http.StatusOK && status != http.StatusConflict {
		return false
	}
	if c.price > 0 && (status != http.StatusOK || !v.pay(ctx, order.OrderID)) {
		return false
	}
	if !v.awaitEnrolment(ctx, c) {
		return false // the webhook may come late
	}
	v.claims.add(v.id+"|"+c.id, answered, claimEnrolled)
	return true
}

// pay pays an order, and reports whether the platform learns of it now.
func (v *visitor) pay(ctx context.Context, order string) bool {
	proves, reports := v.random.IntN(5) < 3, v.random.IntN(5) < 3
	var options []sandbox.PayOption
	if !reports {
		options = append(options, sandbox.WithoutWebhook())
	}
	p, err := v.box.Gateway().Pay(order, options...)
	if err != nil {
		v.journal.problem("pay order %q: %v", order, err)
		return false
	}
	if !proves {
		return reports
	}
	proof := body{"gateway_order_id": order, "gateway_payment_id": p.ID, "gateway_signature": v.box.Gateway().Signature(order, p.ID)}
	status := v.repeat(ctx, func() int {
		return v.call(ctx, "purchase.verify", areaPlain, http.MethodPost, "/api/user/verify-gateway", proof, nil)
	})
	return reports || status == http.StatusOK
}

// awaitEnrolment waits until the user's data list the course.
func (v *visitor) awaitEnrolment(ctx context.Context, c course) bool {
	return v.repeat(ctx, func() int {
		var data struct {
			User struct{ EnrolledCourses []string }
		}
		status := v.call(ctx, "user.data", areaPlain, http.MethodGet, "/api/user/data", nil, &data)
		if status == http.StatusOK && !slices.Contains(data.User.EnrolledCourses, c.id) {
			return http.StatusNotFound
		}
		return status
	}) == http.StatusOK
}

// study completes all lectures.
func (v *visitor) study(ctx context.Context, c course) {
	v.call(ctx, "enrollment.get", areaPlain, http.MethodGet, "/api/user/enrolled-courses/"+c.id, nil, nil)
	for _, lecture := range c.lectures {
		status := v.repeat(ctx, func() int {
			return v.call(ctx, "progress.update", areaPlain, http.MethodPost, "/api/user/update-course-progress",
				body{"courseId": c.id, "lectureId": lecture}, nil)
		})
		if status == http.StatusOK {
			v.claims.add(v.id+"|"+c.id+"|"+lecture, answered, claimLecture)
		}
	}
	stars := 1 + v.random.IntN(5)
	status := v.repeat(ctx, func() int {
		return v.call(ctx, "rating.add", areaPlain, http.MethodPost, "/api/user/add-rating", body{"courseId": c.id, "rating": stars}, nil)
	})
	if status == http.StatusOK {
		v.claims.add(v.id+"|"+c.id+"|"+strconv.Itoa(stars), answered, claimRating)
	}
}

// takeQuiz reads the quiz of a chapter, which the AI writes for the first reader, submits answers, and asks the tutor.
func (v *visitor) takeQuiz(ctx context.Context, c course) {
	chapter := c.chapters[v.random.IntN(len(c.chapters))]
	var answer struct {
		Quiz struct {
			Version   int64
			Questions []struct{ Options []string }
		}
	}
	status := v.repeat(ctx, func() int {
		return v.call(ctx, "quiz.get", areaAI, http.MethodGet, "/api/quiz/"+c.id+"/"+chapter, nil, &answer)
	})
	if status == http.StatusOK {
		choices := make([]int, len(answer.Quiz.Questions))
		for i := range choices {
			choices[i] = v.random.IntN(4)
		}
		status := v.call(ctx, "quiz.submit", areaAI, http.MethodPost, "/api/quiz/submit",
			body{"courseId": c.id, "chapterId": chapter, "answers": choices, "version": answer.Quiz.Version}, nil)
		if status == http.StatusOK {
			v.claims.add(v.id+"|"+c.id+"|"+chapter, answered, claimResult)
		}
	}
	question := body{"content": "What comes after " + chapter + "?"}
	v.call(ctx, "chat.ask", areaAI, http.MethodPost, "/api/user/ai-chat", question, nil)
}

// graduate asks for the certificate, twice, and reads it. Both answers must name the same one.
func (v *visitor) graduate(ctx context.Context, c course) {
	for range 2 {
		var answer struct{ PDFURL string }
		status := v.repeat(ctx, func() int {
			return v.call(ctx, "certificate.generate", areaCertificate, http.MethodPost, "/api/user/certificate/generate/"+c.id, nil, &answer)
		})
		if status != http.StatusOK {
			return
		}
		if before := v.claims.add(v.id+"|"+c.id, answer.PDFURL, claimCertificate); before != "" && before != answer.PDFURL {
			v.journal.problem("%s has two certificates of %s: %s and %s", v.id, c.id, before, answer.PDFURL)
		}
		if _, path, ok := strings.Cut(answer.PDFURL, publicURL); ok {
			v.call(ctx, "media", areaCertificate, http.MethodGet, path, nil, nil)
		}
	}
}
