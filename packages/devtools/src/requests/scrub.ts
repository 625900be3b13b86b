import { hideSecrets, type Redaction } from "@framework/core/feature";

/** Most characters of one text. */
const MAX_TEXT = 500;

/** Returns a text of bounded length without what looks like a credential. */
export const scrub: Redaction = (text) => hideSecrets(bounded(text));

/** Returns a text of bounded length. */
export const bounded = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
