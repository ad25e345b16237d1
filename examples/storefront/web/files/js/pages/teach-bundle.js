// Edit a bundle: its form, with its picture and its deletion below.
import { h, load } from "../dom.js";
import { ApiError, call } from "../api.js";
import { pathTo } from "../paths.js";
import { go, setTitle } from "../router.js";
import { dialogButton } from "../components/button.js";
import { ask } from "../components/dialog.js";
import { staffHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";
import { toast } from "../components/toast.js";
import { part } from "./course-form.js";
import { EditView } from "./edit-view.js";
import { bundleEdits, ownCourses, problemOf, readBundle } from "./teach-bundle-draft.js";
import { bundleForm } from "./teach-bundle-form.js";
import { picturePart } from "./teach-edit-picture.js";

/** @typedef {import("./teach-bundle-draft.js").Bundle} Bundle */
/** @typedef {EditView<Bundle, import("./teach-bundle-draft.js").Draft, import("./teach-bundle-draft.js").Fields>} View */

export const title = "Edit a bundle";

/** @param {import("../router.js").Visit} visit */
export function page({ params: { bundleId }, signal }) {
	const name = h("bdi", {}, "a bundle");
	return [...staffHead(["Edit ", name], "Buyers see a change as soon as you save it. What you type is kept in this tab until then."),
		load(() => Promise.all([readBundle(bundleId, signal), ownCourses(signal)]), ([bundle, all]) => (bundle ? editor(bundle, all, name, signal) : notFound()))];
}

const notFound = () => empty("This bundle is not there", "It may have been deleted, or it has a course of somebody else.", h("a", { class: "button primary", href: pathTo.ownBundles() }, "See all bundles"));

/** @param {Bundle} bundle @param {import("./teach-bundle-draft.js").OwnCourse[]} all @param {HTMLElement} name @param {AbortSignal} signal */
function editor(bundle, all, name, signal) {
	const path = { bundleId: bundle._id };
	const asBuyer = h("div", {}, h("a", { class: "button", href: pathTo.bundle(bundle._id) }, "View as a buyer"));
	const drafts = new Set(all.filter(({ isPublished }) => !isPublished).map(({ _id }) => _id));
	const show = (/** @type {Bundle} */ { title: now, isPublished, courses }) => {
		name.textContent = now;
		setTitle(`Edit ${now}`);
		asBuyer.hidden = !isPublished || courses.some(({ courseId }) => drafts.has(courseId));
	};
	/** @type {View} */
	const view = new EditView(bundle, {
		noun: "bundle", edits: bundleEdits, wrong: problemOf,
		parts: (of) => bundleForm(of.edit.draft, { all, titles: new Map(of.edit.base.courses.map(({ courseId, courseTitle }) => [courseId, courseTitle])), changed: () => of.changed() }),
		read: async () => (await readBundle(bundle._id)) ?? gone(),
		save: async ({ version }, changes) => (await call("PATCH /api/educator/bundles/{bundleId}", { path, body: { version, ...changes } })).bundle,
		saved: (now, before) => {
			show(now);
			toast(now.isPublished === before.isPublished ? "The changes are saved." : now.isPublished ? "The bundle is published." : "The bundle is no longer published.");
		},
	});
	show(bundle);
	return h("div", { class: "stack loose course-form" }, asBuyer, view.region, picture(bundle, view, signal), deletion(bundle), view.bar);
}

/** @returns {never} */
function gone() { throw new ApiError(404, "The bundle was deleted meanwhile."); }

/** @param {Bundle} bundle @param {View} view @param {AbortSignal} signal */
const picture = (bundle, view, signal) => picturePart(bundle, {
	noun: "bundle", current: bundle.thumbnail, path: `/api/educator/bundles/${encodeURIComponent(bundle._id)}/thumbnail`, addressIn: ({ thumbnail }) => thumbnail, signal, changed: () => view.readAgain(),
});

/** @param {Bundle} bundle */
function deletion({ _id, title: name }) {
	const open = async () => {
		const sure = await ask({ title: "Delete this bundle?", kind: "danger", action: "Delete the bundle",
			body: h("p", {}, "“", h("bdi", {}, name), "” is deleted with its picture. Its courses stay, and whoever has bought it keeps them. This cannot be undone."),
			submit: () => call("DELETE /api/educator/bundles/{bundleId}", { path: { bundleId: _id } }) });
		if (!sure) return;
		bundleEdits.forget(_id);
		await go(pathTo.ownBundles(), { replace: true });
		toast("The bundle is deleted.");
	};
	return part("Delete the bundle", h("p", {}, "An order that is open can still be paid after that."), h("div", {}, dialogButton("Delete this bundle", open, { kind: "danger" })));
}
