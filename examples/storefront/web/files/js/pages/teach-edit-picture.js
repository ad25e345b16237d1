// The picture of a course that exists: another one is sent on its own, as soon as the reader says so.
import { h } from "../dom.js";
import { forgetCourses, request } from "../api.js";
import { actionButton } from "../components/button.js";
import { toast } from "../components/toast.js";
import { part } from "./course-form.js";
import { forgetPicture, pictureField } from "./teach-new-picture.js";

/** @param {import("./teach-edit-draft.js").Course} course @param {AbortSignal} signal @param {() => Promise<void>} changed is called when the course has another picture */
export function picturePart(course, signal, changed) {
	const send = async () => {
		const file = picture.file();
		if (!file) return;
		const form = new FormData();
		form.append("image", file);
		const answer = await request("PUT", `/api/educator/courses/${encodeURIComponent(course._id)}/thumbnail`, { form });
		forgetPicture();
		forgetCourses();
		picture.show((await answer.json()).courseThumbnail);
		toast("The course has its new picture.");
		await changed();
	};
	const button = actionButton("Use this picture", send, { kind: "primary" });
	const picture = pictureField(signal, { of: course._id, current: course.courseThumbnail, onchange: (chosen) => { button.hidden = !chosen; } });
	return part("Picture", picture.element, h("div", {}, button));
}
