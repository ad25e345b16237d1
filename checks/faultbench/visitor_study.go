//go:build linux

package faultbench

import (
	"context"
	"net/http"
	"strconv"
	"strings"
)

// study completes all lectures of a course, and rates it.
func (v *visitor) study(ctx context.Context, c course) {
	v.call(ctx, "enrollment.get", areaPlain, http.MethodGet, "/api/user/enrolled-courses/"+c.id,
		nil, nil)
	for _, lecture := range c.lectures {
		status := v.repeat(ctx, func() int {
			return v.call(ctx, "progress.update", areaPlain, http.MethodPost,
				"/api/user/update-course-progress",
				body{"courseId": c.id, "lectureId": lecture}, nil)
		})
		if status == http.StatusOK {
			v.claims.add(v.id+"|"+c.id+"|"+lecture, answered, claimLecture)
		}
	}
	// Rate the course.
	stars := 1 + v.random.IntN(5)
	status := v.repeat(ctx, func() int {
		return v.call(ctx, "rating.add", areaPlain, http.MethodPost, "/api/user/add-rating",
			body{"courseId": c.id, "rating": stars}, nil)
	})
	if status == http.StatusOK {
		v.claims.add(v.id+"|"+c.id+"|"+strconv.Itoa(stars), answered, claimRating)
	}
}

// takeQuiz reads the quiz of a chapter, which the AI writes for the first reader, submits answers,
// and asks the tutor.
func (v *visitor) takeQuiz(ctx context.Context, c course) {
	chapter := c.chapters[v.random.IntN(len(c.chapters))]
	var answer struct {
		Quiz struct {
			Version   int64
			Questions []struct{ Options []string }
		}
	}
	status := v.repeat(ctx, func() int {
		return v.call(ctx, "quiz.get", areaAI, http.MethodGet, "/api/quiz/"+c.id+"/"+chapter, nil,
			&answer)
	})
	if status == http.StatusOK {
		// Answer at random, for the version that was read.
		choices := make([]int, len(answer.Quiz.Questions))
		for i := range choices {
			choices[i] = v.random.IntN(4) // of four options
		}
		status := v.call(ctx, "quiz.submit", areaAI, http.MethodPost, "/api/quiz/submit",
			body{"courseId": c.id, "chapterId": chapter, "answers": choices,
				"version": answer.Quiz.Version}, nil)
		if status == http.StatusOK {
			v.claims.add(v.id+"|"+c.id+"|"+chapter, answered, claimResult)
		}
	}
	// Ask the tutor.
	question := body{"content": "What comes after " + chapter + "?"}
	v.call(ctx, "chat.ask", areaAI, http.MethodPost, "/api/user/ai-chat", question, nil)
}

// graduate asks for the certificate, twice, and reads it. Both answers must name the same one.
func (v *visitor) graduate(ctx context.Context, c course) {
	for range 2 {
		var answer struct{ PDFURL string }
		status := v.repeat(ctx, func() int {
			return v.call(ctx, "certificate.generate", areaFile, http.MethodPost,
				"/api/user/certificate/generate/"+c.id, nil, &answer)
		})
		if status != http.StatusOK {
			return
		}
		// The first answer decides which certificate it is.
		if before := v.claims.add(v.id+"|"+c.id, answer.PDFURL, claimCertificate); before != "" &&
			before != answer.PDFURL {
			v.journal.problem("%s has two certificates of %s: %s and %s", v.id, c.id, before,
				answer.PDFURL)
		}
		// Read the file from the servers of the bench, which publicURL does not name.
		if _, path, ok := strings.Cut(answer.PDFURL, publicURL); ok {
			v.call(ctx, "media", areaFile, http.MethodGet, path, nil, nil)
		}
	}
}
