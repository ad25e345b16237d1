// Walks through the main routes of a running server with its demo: API=http://… SANDBOX=http://… node dist/walk.js
import assert from "node:assert/strict";
import { api, must, refusal, type Schemas } from "./client.js";

const server = process.env["API"] ?? "http://localhost:3000";
const sandbox = process.env["SANDBOX"] ?? "http://localhost:3001";
const visitor = api(server);

const course = await browse();
const student = api(server, await signIn("user_student"));
await buy(course);
await learn(course);
await takeQuiz(course);
await certify(course);
await becomeEducator();
await assess();
await refusals(course);
console.log("ok");

/** browse returns a course of the catalogue that costs money. */
async function browse(): Promise<Schemas["CourseDetail"]> {
	const { courses } = await must(visitor.GET("/api/course/all"));
	const listed = courses.find((c) => c._id === "clear-writing");
	assert(listed !== undefined && listed.coursePrice > 0);
	const { courseData } = await must(visitor.GET("/api/course/{id}", { params: { path: { id: listed._id } } }));
	assert.equal(courseData.educatorId.name, listed.educatorId.name);
	return courseData;
}

/** signIn returns a session token of the sandbox, which stands for the identity provider. */
async function signIn(userId: string): Promise<string> {
	const answer: { token: string } = await post(`${sandbox}/v1/sign-in`, { userId, remember: true });
	return answer.token;
}

/** buy opens an order, pays it at the sandbox's checkout, and sends the proof. */
async function buy({ _id: courseId }: Schemas["CourseDetail"]): Promise<void> {
	const order = await must(student.POST("/api/user/purchase", { body: { courseId } }));
	assert(Number.isInteger(order.amount) && order.currency.length === 3);
	const proof: Schemas["VerifyPaymentRequest"] = await post(`${sandbox}/checkout/${order.orderId}`, { action: "pay" });
	await must(student.POST("/api/user/verify-gateway", { body: { ...proof, purchaseId: order.purchaseId } }));

	const { data } = await student.GET("/api/user/data"); // the only failure with the status 200
	assert(data?.success);
	assert(data.user.enrolledCourses.includes(courseId));
}

async function learn({ _id: courseId }: Schemas["CourseDetail"]): Promise<void> {
	const path = { courseId };
	const before = await must(student.POST("/api/user/get-course-progress", { body: path }));
	assert.equal(before.progressData, null);
	const { courseData, userRating } = await must(student.GET("/api/user/enrolled-courses/{courseId}", { params: { path } }));
	assert.equal(userRating, null);
	const lectures = courseData.courseContent.flatMap((chapter) => chapter.chapterContent);
	assert(lectures.every((lecture) => lecture.lectureUrl !== ""));
	let isCourseCompleted = false;
	for (const { lectureId } of lectures) {
		({ isCourseCompleted } = await must(student.POST("/api/user/update-course-progress", { body: { courseId, lectureId } })));
	}
	assert(isCourseCompleted);
	const { progressData } = await must(student.POST("/api/user/get-course-progress", { body: path }));
	assert(progressData?.completed && progressData.lectureCompleted.length === lectures.length);
	await must(student.POST("/api/user/add-rating", { body: { courseId, rating: 5 } }));
	const duration = 12.5; // seconds
	await must(student.POST("/api/user/track-time", { body: { page: "Learning", path: `/player/${courseId}`, duration } }));
}

async function takeQuiz({ _id: courseId, courseContent }: Schemas["CourseDetail"]): Promise<void> {
	const chapter = courseContent[0];
	assert(chapter !== undefined);
	const path = { courseId, chapterId: chapter.chapterId };
	const { quiz } = await must(student.GET("/api/quiz/{courseId}/{chapterId}", { params: { path } }));
	assert(quiz.questions.every((question) => question.correctIndex === undefined)); // students get no solutions
	const body = { ...path, version: quiz.version, answers: quiz.questions.map(() => 0) };
	const { result } = await must(student.POST("/api/quiz/submit", { body }));
	const texts: Record<typeof result.group, string> = { needs_review: "again", on_track: "almost", mastered: "done" };
	assert(texts[result.group] !== undefined && result.total === quiz.questions.length);
	const { results } = await must(student.GET("/api/quiz/results/{courseId}/{chapterId}", { params: { path } }));
	assert.equal(results[0]?.percentage, result.percentage);
}

async function certify({ _id: courseId }: Schemas["CourseDetail"]): Promise<void> {
	const params = { params: { path: { courseId } } };
	const check = await must(student.GET("/api/user/certificate/check/{courseId}", params));
	assert(check.eligible && !check.certificateExists);
	const { created, pdfUrl } = await must(student.POST("/api/user/certificate/generate/{courseId}", params));
	assert(created);
	assert.equal((await must(student.GET("/api/user/certificate/{courseId}", params))).pdfUrl, pdfUrl);
	const pdf = await fetch(pdfUrl);
	assert.equal(pdf.headers.get("Content-Type"), "application/pdf");
}

/** becomeEducator applies, and has the application approved by an admin. */
async function becomeEducator(): Promise<void> {
	const rosa = api(server, await signIn("student_rosa"));
	const admin = api(server, await signIn("user_admin"));
	const body = { professionalTitle: "Baker", bio: "I bake.", expertise: ["Bread"], linkedinUrl: null };
	const { application } = await must(rosa.POST("/api/educator/apply", { body }));
	assert.equal(application.status, "pending");

	const { applications } = await must(admin.GET("/api/admin/educator-applications", { params: { query: { status: "pending" } } }));
	assert(applications.some((a) => a._id === application._id && a.userId === "student_rosa"));
	const path = { id: application._id };
	await must(admin.PATCH("/api/admin/educator-applications/{id}/approve", { params: { path } }));

	const own = await must(rosa.GET("/api/educator/application-status"));
	assert.equal(own.application?.status, "approved");
	await must(rosa.GET("/api/educator/courses")); // with the token from before
}

/** assess takes a quiz that a person has written, and has work graded, in a free course. */
async function assess(): Promise<void> {
	const courseId = "home-networks";
	const chapterId = "3";
	const amara = api(server, await signIn("student_amara"));
	const teacher = api(server, await signIn("user_educator"));
	await must(amara.POST("/api/user/purchase", { body: { courseId } }));

	// The educator saves the quiz with another text.
	const chapter = { path: { courseId, chapterId } };
	const { quiz } = await must(teacher.GET("/api/educator/courses/{courseId}/quizzes/{chapterId}", { params: chapter }));
	const [first, ...others] = quiz.questions;
	assert(first !== undefined && first.kind === "single");
	const body = { ...quiz, questions: [{ ...first, question: "Where does it wait?" }, ...others] };
	await must(teacher.PUT("/api/educator/courses/{courseId}/quizzes/{chapterId}", { params: chapter, body }));
	assert.equal((await refusal(teacher.PUT("/api/educator/courses/{courseId}/quizzes/{chapterId}", { params: chapter, body }))).status, 409);

	// The student reads what the quiz is, answers one question, and sees the solutions after the attempt.
	const ofChapter = { query: { courseId, chapterId } };
	const before = await must(amara.GET("/api/quiz/attempts", { params: ofChapter }));
	assert(before.quiz !== null && before.quiz.minutes && before.quiz.needsAttempt);
	const { attempt } = await must(amara.POST("/api/quiz/attempts", { body: { courseId, chapterId } }));
	const question = attempt.questions.find(({ questionId }) => questionId === first.questionId);
	assert(question !== undefined && question.question === "Where does it wait?" && attempt.endsAt !== null);
	const own = { path: { attemptId: attempt._id } };
	const answers = { [question.questionId]: first.answer };
	await must(amara.PUT("/api/quiz/attempts/{attemptId}", { params: own, body: { answers } }));
	const { result } = await must(amara.POST("/api/quiz/attempts/{attemptId}/submit", { params: own, body: {} }));
	assert(!result.passed && result.score === first.points);
	assert.deepEqual(result.questions?.filter(({ isCorrect }) => isCorrect).map(({ questionId }) => questionId), [question.questionId]);
	const [latest] = (await must(amara.GET("/api/quiz/attempts", { params: ofChapter }))).attempts;
	assert(latest?._id === attempt._id && latest.score === result.score && latest.passed === false);
	const { results } = await must(teacher.GET("/api/educator/courses/{courseId}/quizzes/{chapterId}/results", { params: chapter }));
	assert.equal(results[0]?.studentId, "student_amara");
	const { questions } = await must(teacher.GET("/api/educator/courses/{courseId}/quizzes/{chapterId}/questions", { params: chapter }));
	assert(questions.some(({ questionId, given }) => questionId === question.questionId && given > 0));

	// The student submits work, and the educator grades it.
	const work = { path: { courseId, lectureId: "3-6" } };
	await must(amara.PUT("/api/user/assignments/{courseId}/{lectureId}", { params: work, body: { text: "My map.", fileIds: [] } }));
	const { submission } = await must(amara.POST("/api/user/assignments/{courseId}/{lectureId}/submit", { params: work }));
	const query = { courseId, status: "submitted" as const };
	const { submissions } = await must(teacher.GET("/api/educator/submissions", { params: { query } }));
	assert(submissions.some(({ _id }) => _id === submission._id));
	const decision = { version: submission.version, status: "graded" as const, points: submission.rubric.map(() => 1), feedback: "Good." };
	const graded = { path: { submissionId: submission._id } };
	await must(teacher.PUT("/api/educator/submissions/{submissionId}/grade", { params: graded, body: decision }));
	const done = await must(amara.GET("/api/user/assignments/{courseId}/{lectureId}", { params: work }));
	assert.equal(done.submissions[0]?.feedback, "Good.");

	const student = { path: { courseId, userId: "student_amara" } };
	const progress = await must(teacher.GET("/api/educator/courses/{courseId}/students/{userId}", { params: student }));
	assert.equal(progress.assignments[0]?.status, "graded");
	const { eligible, missing } = await must(amara.GET("/api/user/certificate/check/{courseId}", { params: { path: { courseId } } }));
	assert(!eligible && missing.some(({ kind }) => kind === "lecture"));
}

/** refusals makes requests that fail; each status has the type of its failure. */
async function refusals({ _id: courseId }: Schemas["CourseDetail"]): Promise<void> {
	const again = await refusal(student.POST("/api/user/purchase", { body: { courseId } }));
	assert.equal(again.status, 409);
	assert("message" in again.failure);
	assert.equal(again.failure.message, "You are already enrolled in this course");

	const unknown = await refusal(visitor.GET("/api/course/{id}", { params: { path: { id: "unknown" } } }));
	assert.deepEqual(unknown, { status: 404, failure: { success: false, message: "Course not found" } });
	assert.equal((await refusal(visitor.GET("/api/user/enrolled-courses"))).status, 401);
	assert.equal((await refusal(student.GET("/api/admin/stats"))).status, 403);
	const rating = await refusal(student.POST("/api/user/add-rating", { body: { courseId, rating: 6 } }));
	assert.equal(rating.status, 400);
	await assert.rejects(must(student.GET("/api/admin/stats")), { name: "Error", status: 403, message: "Unauthorized Access" });
}

/** post sends JSON to the sandbox. */
async function post<Answer>(url: string, body: unknown): Promise<Answer> {
	const response = await fetch(url, {
		method: "POST",
		headers: { "Content-Type": "application/json", Accept: "application/json" },
		body: JSON.stringify(body),
	});
	assert(response.ok, `${url}: ${response.status}`);
	return (await response.json()) as Answer;
}
