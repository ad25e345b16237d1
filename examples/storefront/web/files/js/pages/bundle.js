// The page of a bundle: what is in it, what it costs, and what one has of it.
import { fill, h } from "../dom.js";
import { allCourses, ApiError, call, forgetCourses } from "../api.js";
import { count, duration, money, price } from "../format.js";
import { offerPrice } from "../offer.js";
import { pathTo } from "../paths.js";
import { enrolledIn, openOrder } from "../purchase.js";
import { session } from "../session.js";
import { bundlePicture, bundlePrice, savings } from "../components/bundle-card.js";
import { priceTag, thumbnail } from "../components/card.js";
import { actionWithProblem } from "../components/problem.js";
import { prose } from "../components/prose.js";
import { empty } from "../components/states.js";
import { toast } from "../components/toast.js";

/** @typedef {import("../components/bundle-card.js").Bundle} Bundle */
/** What the parts of the page share: known are the courses of the bundle that the catalogue has, owned those of the reader, by id. @typedef {{bundle: Bundle, known: Map<string, import("../api.js").Course>, owned: Set<string>, saved: number}} View */

let heading = "Bundle";
export const title = () => heading;

/** @param {import("../router.js").Visit} visit */
export async function page({ params: { bundleId }, signal }) {
	try {
		const [{ bundle }, courses, owned] = await Promise.all([call("GET /api/bundle/{id}", { path: { id: bundleId }, signal }), allCourses(), session.token() ? enrolledIn(signal) : new Set()]);
		heading = bundle.title;
		const ids = bundle.courses.map(({ courseId }) => courseId);
		/** @type {View} */
		const view = { bundle, saved: savings(bundle, courses), known: new Map(courses.filter(({ _id }) => ids.includes(_id)).map((course) => [course._id, course])), owned: new Set(ids.filter((id) => owned.has(id))) };
		return h("div", { class: "course" }, head(bundle), aside(view), body(view));
	} catch (error) {
		if (!(error instanceof ApiError) || error.status !== 404) throw error;
		heading = "Bundle not found";
		return notFound();
	}
}

const notFound = () => [h("h1", { class: "visually-hidden" }, "Bundle not found"),
	empty("This bundle is not offered", "It, or one of its courses, may have been withdrawn, or the link may be incomplete. The courses in which you are enrolled are still in My learning.",
		h("div", { class: "row" }, h("a", { class: "button primary", href: "/bundles" }, "See all bundles"), session.token() && h("a", { class: "button", href: "/learn" }, "My learning")))];

/** @param {Bundle} bundle */
const head = ({ title: name, courses }) => h("header", { class: "course-head stack" }, h("h1", {}, h("bdi", {}, name)),
	h("p", { class: "row" }, h("span", { class: "badge accent" }, "Bundle"), h("span", { class: "muted small" }, `${count(courses.length, "course")} at one price`)));

/** The price, what it saves, and the button for the next step. @param {View} view */
function aside(view) {
	const { bundle, saved } = view;
	return h("aside", { class: "card course-offer", "aria-label": "Price and enrolment" }, bundlePicture(bundle, true),
		h("div", { class: "stack" }, h("p", { class: "offer-price" }, bundlePrice(bundle)),
			saved > 0 && h("p", { class: "small saved" }, h("strong", {}, `You save ${price(saved)}`), `: one by one the courses cost ${money(saved + offerPrice(bundle))}.`),
			action(view), h("ul", { class: "plain-list stack tight small benefits" }, benefits(view).map((text) => h("li", {}, text)))));
}

/** @param {View} view */
function benefits({ bundle: { courses }, known }) {
	const all = [...known.values()], lectures = all.reduce((sum, course) => sum + course.totalLectures, 0), minutes = all.reduce((sum, course) => sum + course.totalDurationMinutes, 0);
	return [...(all.length === courses.length ? [`${count(lectures, "lecture")}, ${duration(minutes)} in all`] : []), "A certificate for each course", "The same access to each course as when it is bought alone"];
}

/** The next step, which depends on the reader. @param {View} view */
function action(view) {
	const { bundle, owned, known } = view, all = bundle.courses.length;
	const checkout = pathTo.checkoutBundle(bundle._id), final = offerPrice(bundle);
	if (!session.token()) return h("a", { class: "button primary wide", href: pathTo.signIn(checkout) }, final === 0 ? "Sign in to enrol for free" : "Sign in to buy");
	const isOwn = session.role() !== "student" && known.size === all && [...known.values()].every(({ educatorId }) => educatorId._id === session.person()?.userId);
	if (isOwn) return [h("p", { class: "small" }, h("span", { class: "badge accent" }, "You teach these courses")), h("a", { class: "button primary wide", href: pathTo.editBundle(bundle._id) }, "Edit the bundle")];
	const box = h("div", { class: "stack tight", role: "status" });
	if (owned.size === all) return fill(box, ownedAction());
	const partly = owned.size > 0 && h("p", { class: "small" }, `You have ${owned.size} of these ${count(all, "course")} already. The price stays the same.`);
	return fill(box, partly, final > 0 ? h("a", { class: "button primary wide", href: checkout }, `Buy for ${price(final)}`) : freeAction(bundle, box));
}

const ownedAction = () => [h("p", { class: "small" }, h("span", { class: "badge good" }, "You have all these courses")), h("a", { class: "button primary wide", href: "/learn" }, "My learning")];

/** @param {Bundle} bundle @param {HTMLElement} box */
const freeAction = (bundle, box) => actionWithProblem("Enrol for free", async () => {
	await openOrder({ bundleId: bundle._id });
	forgetCourses();
	fill(box, ownedAction()).querySelector("a")?.focus();
	toast(`You are enrolled in all courses of ${bundle.title}`);
}, { kind: "primary wide" });

/** @param {View} view */
const body = ({ bundle, known, owned }) => h("div", { class: "course-body" },
	bundle.description !== "" && h("section", {}, h("h2", { class: "visually-hidden" }, "About this bundle"), prose(bundle.description)),
	h("section", {}, h("div", { class: "section-head" }, h("h2", {}, "What is in it"), h("p", { class: "muted small" }, count(bundle.courses.length, "course"))),
		h("ul", { class: "card list" }, bundle.courses.map((course) => row(course, known.get(course.courseId), owned.has(course.courseId))))));

/** @param {Bundle["courses"][number]} course @param {import("../api.js").Course | undefined} known @param {boolean} isOwned */
const row = ({ courseId, courseTitle, thumbnail: picture }, known, isOwned) => h("li", { class: "own-course" }, thumbnail({ courseThumbnail: picture }),
	h("div", { class: "own-course-text" }, h("h3", {}, h("a", { href: pathTo.course(courseId) }, h("bdi", {}, courseTitle))),
		known && h("p", { class: "muted small" }, h("bdi", {}, known.educatorId.name), ` · ${count(known.totalLectures, "lecture")}, ${duration(known.totalDurationMinutes)}`)),
	h("div", { class: "own-course-end row" }, isOwned ? h("span", { class: "badge good" }, "You have it") : known && priceTag(known)));
