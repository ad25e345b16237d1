// The home page: a welcome, the course that a student used last, and the catalogue.
import { allCourses } from "../api.js";
import { h, load } from "../dom.js";
import { arrived } from "../module.js";
import { session } from "../session.js";
import { catalogueHead } from "../components/catalogue-head.js";

export const title = "Courses";

/** The text at the top: change it here. */
const hero = { title: "Learn something that lasts", text: "Small, carefully made courses by people who do what they teach. Look into the free lectures, ask in the community, and take a certificate that everyone can verify." };

/** Shows the welcome while the catalogue and its module are on their way. @param {import("../router.js").Visit} visit */
export function page(visit) {
	return [
		h("header", { class: "hero" }, h("h1", {}, hero.title), h("p", { class: "lead" }, hero.text)),
		session.token() && load(readLastCourse, (show) => show(), { placeholder: h("div", { class: "card skeleton continue-card", role: "status" }, h("span", { class: "visually-hidden" }, "Loading your last course…")) }),
		catalogueHead(),
		load(() => readCatalogue(visit), (draw) => draw(), { placeholder: placeholder() }),
	];
}

async function readLastCourse() {
	const { continueCard, lastCourse } = await arrived(import("../components/continue.js"));
	const course = await lastCourse();
	return () => course && continueCard(course);
}

/** @param {import("../router.js").Visit} visit */
async function readCatalogue(visit) {
	const [{ catalogue }, courses] = await Promise.all([arrived(import("../components/catalogue.js")), allCourses()]);
	return () => catalogue(courses, visit);
}

/** The catalogue in grey: four fields, a line and cards, so that nothing moves when it arrives. */
const placeholder = () => h("div", { role: "status" }, h("span", { class: "visually-hidden" }, "Loading the courses…"),
	h("div", { class: "filters" }, Array.from({ length: 4 }, (_, i) => h("div", { class: i === 0 ? "input skeleton filter-text" : "input skeleton" }))),
	h("p", { class: "small" }, "\u00a0"),
	h("div", { class: "grid" }, Array.from({ length: 8 }, () => h("div", { class: "card skeleton course-placeholder" }))));
