// What there is to say of a purchase of a bundle.
import { h } from "../dom.js";

/** A course of a bundle that was sold, with its part of the amount. @typedef {import("../types").Answer<"GET /api/admin/purchases/{purchaseId}">["purchase"]["lines"][number]} Line */

/** @param {{bundleId: string}} purchase */
export const bundleBadge = ({ bundleId }) => (bundleId ? h("span", { class: "badge accent" }, "Bundle") : null);

/** What can still be refunded of a line. @param {Line} line */
export const leftOfLine = ({ amount, refundedAmount }) => Math.round((amount - refundedAmount) * 1000) / 1000;
