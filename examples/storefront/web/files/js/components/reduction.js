// What a coupon takes off, in words.
import { money, number } from "../format.js";

/** @param {{percentOff?: number, amountOff?: number}} coupon */
export const reduction = ({ percentOff, amountOff }) => (percentOff ? `${number(percentOff)} % off` : `${money(amountOff ?? 0)} off`);
