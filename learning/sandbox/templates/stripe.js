// A stand-in for Stripe.js: it leads the browser to a page of the sandbox, where the user pays.
(() => {
  "use strict";
  const base = new URL("../", document.currentScript.src);

  class Elements {
    constructor(options) { this.clientSecret = options.clientSecret; }
    create() { return new Element(); }
    getElement() { return null; }
    update() {}
    submit() { return Promise.resolve({}); }
  }

  class Element {
    mount(target) {
      const node = typeof target === "string" ? document.querySelector(target) : target;
      if (!node) throw new Error("Stripe sandbox: there is no element to mount into");
      node.textContent = "You pay on the next page, which belongs to the sandbox. No money moves.";
      return this;
    }
    on(event, listener) {
      if (event === "ready") queueMicrotask(listener);
      return this;
    }
    update() {}
    unmount() {}
    destroy() {}
  }

  window.Stripe = function Stripe(key) {
    if (typeof key !== "string" || !key.startsWith("pk_")) {
      throw new Error("Stripe sandbox: the key must be a publishable key, which begins with pk_");
    }
    return {
      elements: (options) => new Elements(options || {}),
      confirmPayment(options) {
        const { elements, confirmParams } = options;
        const secret = options.clientSecret || (elements && elements.clientSecret);
        if (!secret || !confirmParams || !confirmParams.return_url) {
          return Promise.resolve({ error: { type: "invalid_request_error",
            message: "confirmPayment needs a clientSecret and confirmParams.return_url" } });
        }
        const page = new URL("pay/" + encodeURIComponent(secret), base);
        page.searchParams.set("return", confirmParams.return_url);
        window.location.assign(page);
        return new Promise(() => {}); // the browser leaves the page
      },
    };
  };
  window.Stripe.version = 3;
})();
