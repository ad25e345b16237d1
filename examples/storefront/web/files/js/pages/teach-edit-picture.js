// The picture of a course or a bundle that exists: another one is sent on its own, as soon as the reader
// says so.
import { h } from "../dom.js";
import { request } from "../api.js";
import { actionButton } from "../components/button.js";
import { toast } from "../components/toast.js";
import { part } from "./course-form.js";
import { forgetPicture, pictureField } from "./teach-new-picture.js";

/**
 * noun is what the picture is of, such as "course", and current the address of the picture that it has, or "". path is
 * where the API takes another one; addressIn finds the new address in the answer. changed is called after that.
 * @param {{_id: string}} of @param {{noun: string, current: string, path: string, addressIn: (answer: any) => string, signal: AbortSignal, changed: () => Promise<void>}} options
 */
export function picturePart({ _id }, { noun, current, path, addressIn, signal, changed }) {
	const send = async () => {
		const file = picture.file();
		if (!file) return;
		const form = new FormData();
		form.append("image", file);
		const answer = await request("PUT", path, { form });
		forgetPicture();
		picture.show(addressIn(await answer.json()));
		toast(`The ${noun} has its new picture.`);
		await changed();
	};
	const button = actionButton("Use this picture", send, { kind: "primary" });
	const picture = pictureField(signal, { of: _id, current, onchange: (chosen) => { button.hidden = !chosen; } });
	return part("Picture", picture.element, h("div", {}, button));
}
