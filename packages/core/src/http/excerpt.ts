import { printable } from "./printable.ts";

/** Quotes untrusted text for an error message: at most 40 characters; control and bidirectional format characters are escaped. */
export const excerpt = (text: string): string =>
  printable(JSON.stringify(text.length > 40 ? `${text.slice(0, 39).replace(HALF_PAIR, "")}…` : text));

/** The first half of a surrogate pair, at the end of a text. */
const HALF_PAIR = /[\ud800-\udbff]$/;
