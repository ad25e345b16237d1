"use strict";

// scheme is the name of the security scheme of session tokens in the API document.
const scheme = "session";
const users = JSON.parse(document.getElementById("users").textContent);
const form = document.getElementById("sign-in");
const choice = document.getElementById("user");

const ui = SwaggerUIBundle({
	url: "openapi.json",
	domNode: document.getElementById("swagger-ui"),
	deepLinking: true,
	defaultModelsExpandDepth: 0,
	docExpansion: "none",
	filter: true,
	tryItOutEnabled: true,
	validatorUrl: null, // no other server is asked
	onComplete: offerUsers,
});

// offerUsers shows the users as whom the reader can sign in, if the server has any.
function offerUsers() {
	for (const user of users) {
		choice.add(new Option(user.name, user.token));
	}
	form.hidden = users.length === 0;
	choice.addEventListener("change", signIn);
}

function signIn() {
	if (choice.value === "") {
		ui.authActions.logout([scheme]);
		return;
	}
	ui.preauthorizeApiKey(scheme, choice.value);
}
