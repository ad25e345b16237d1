//go:build linux

package faultbench

import (
	"encoding/json"
	"fmt"
)

// course is a course that visitors buy and study.
type course struct {
	id       string
	price    int // 0 for a free one
	chapters []string
	lectures []string
}

// courses are the courses of a run; the first ones cost money.
var courses = newCourses()

// newCourses returns six courses of two chapters with two lectures each.
func newCourses() (all []course) {
	for i := range 6 {
		// Five courses have a price, and the last one is free.
		c := course{id: fmt.Sprintf("course-%d", i), price: 499}
		if i == 5 {
			c.price = 0
		}
		for chapter := range 2 {
			c.chapters = append(c.chapters, fmt.Sprintf("chapter-%d", chapter))
			for lecture := range 2 {
				c.lectures = append(c.lectures, fmt.Sprintf("lecture-%d-%d", chapter, lecture))
			}
		}
		all = append(all, c)
	}
	return all
}

// coupon is a coupon that many users want.
type coupon struct {
	code       string
	percentOff int
	most       int // redemptions
}

// coupons have few redemptions. One makes a course free.
var coupons = []coupon{{code: "HALF-PRICE", percentOff: 50, most: 8},
	{code: "NEARLY-FREE", percentOff: 90, most: 3}, {code: "GIFT", percentOff: 100, most: 4}}

// teacher is the id of the user who has all courses.
const teacher = "teacher"

// catalogue returns the courses and their teacher as the content of a file for the command import
// of the server.
func catalogue() ([]byte, error) {
	list := []body{}
	for _, c := range courses {
		// Each chapter has two of the lectures.
		chapters := []body{}
		for i, chapter := range c.chapters {
			lectures := []body{}
			for _, lecture := range c.lectures[2*i : 2*i+2] {
				lectures = append(lectures,
					body{"lectureId": lecture, "lectureTitle": lecture, "lectureDuration": 5,
						"lectureUrl": "https://video.example.org/" + lecture})
			}
			chapters = append(chapters,
				body{"chapterId": chapter, "chapterTitle": "About " + chapter,
					"chapterContent": lectures})
		}
		list = append(list, body{"_id": c.id, "educatorId": teacher,
			"courseTitle": "Title of " + c.id, "courseDescription": "",
			"coursePrice": c.price, "prices": pricesOf(c), "courseContent": chapters})
	}
	people := []body{{"_id": teacher, "firstName": "Tea", "lastName": "Cher",
		"email": "tea@example.org"}}
	return json.Marshal(body{"people": people, "courses": list})
}

// stripeCurrency is the currency that is paid at Stripe.
const stripeCurrency = "EUR"

// pricesOf returns the prices of a course in other currencies than that of the platform.
func pricesOf(c course) []body {
	if c.price == 0 {
		return nil
	}
	return []body{{"currency": stripeCurrency, "price": c.price}}
}
