// Make a bundle. What is typed is kept in this tab, so that neither an error nor a reload loses it.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { busy } from "../components/button.js";
import { allValid } from "../components/field.js";
import { problemNotice } from "../components/problem.js";
import { staffHead } from "../components/staff-head.js";
import { toast } from "../components/toast.js";
import { session } from "../session.js";
import { pathTo } from "../paths.js";
import { go } from "../router.js";
import { saveBar } from "./course-form.js";
import { bundleData, newDraft, ownCourses, problemOf } from "./teach-bundle-draft.js";
import { bundleForm } from "./teach-bundle-form.js";
import { store } from "./teach-new-draft.js";

export const title = "Make a bundle";

/** @param {import("../router.js").Visit} visit */
export const page = ({ signal }) => [
	...staffHead("Make a bundle", "Two courses or more, and what they cost together. What you type is kept in this tab until it is saved."),
	load(() => ownCourses(signal), (all) => form(all)),
];

const key = () => `storefront.new-bundle.${session.writer()}`;

/** @returns {import("./teach-bundle-draft.js").Draft} */
function readDraft() {
	try {
		return { ...newDraft(), ...JSON.parse(sessionStorage.getItem(key()) || "null") };
	} catch {
		return newDraft();
	}
}

/** @param {import("./teach-bundle-draft.js").OwnCourse[]} all */
function form(all) {
	const draft = readDraft(), problem = problemNotice();
	const submit = h("button", { class: "button primary", type: "submit" }, "Make the bundle");
	const { parts, fields } = bundleForm(draft, { all, titles: new Map(), changed: () => store(key(), draft) });
	const send = async () => {
		problem.hide();
		const complete = allValid(fields()), wrong = complete ? problemOf(draft) : "Some fields are not right yet. Each says what is wrong.";
		if (wrong) {
			problem.show(wrong);
			if (complete) problem.element.focus();
			return;
		}
		try {
			const { bundle } = await call("POST /api/educator/bundles", { body: bundleData(draft) });
			sessionStorage.removeItem(key());
			toast(bundle.isPublished ? `“${bundle.title}” is published.` : `“${bundle.title}” is kept as a draft.`);
			await go(pathTo.editBundle(bundle._id), { replace: true });
		} catch (error) {
			problem.show(error);
			problem.element.focus();
		}
	};
	return h("form", { class: "stack loose course-form", noValidate: true, "data-kept": "", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); busy(submit, send); } },
		parts, saveBar(problem.element, h("div", { class: "row" }, submit)));
}
