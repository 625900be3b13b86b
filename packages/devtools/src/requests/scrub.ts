import { hideSecrets, type Redaction } from "@framework/core/feature";

/** Maximum characters of a text. */
const MAX_TEXT = 500;

/** Shortens a text and hides everything that looks like a credential. */
export const scrub: Redaction = (text) => hideSecrets(bounded(text));

/** Shortens a text. */
export const bounded = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
