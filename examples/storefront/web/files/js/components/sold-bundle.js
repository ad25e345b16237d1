// What there is to say of a purchase of a bundle.
import { h } from "../dom.js";

/** A course of a bundle that was sold, with its part of the amount. hasEnded says that it was refunded and gives no access any more. @typedef {{courseId: {_id: string, courseTitle: string}, amount: number, refundedAmount: number, hasEnded: boolean}} Line */
/** What purchases of bundles have: bundleId, and one of them its lines. @typedef {{bundleId?: string, lines?: Line[]}} Sold */

/** @param {Sold} purchase */
export const bundleBadge = ({ bundleId }) => (bundleId ? h("span", { class: "badge accent" }, "Bundle") : null);

/** What can still be refunded of a line. @param {Line} line */
export const leftOfLine = ({ amount, refundedAmount }) => Math.round((amount - refundedAmount) * 1000) / 1000;
