import { redactSecrets, type Redaction } from "@framework/core/feature";

/** Maximum number of characters in a text. */
const MAX_TEXT = 500;

/** Truncates a text and hides everything that looks like a credential. */
export const scrub: Redaction = (text) => redactSecrets(truncate(text));

/** Truncates a text to 500 characters. */
export const truncate = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
