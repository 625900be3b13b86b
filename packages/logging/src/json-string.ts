/** Maximum number of UTF-16 code units in one field; longer text is truncated. */
export const MAX_FIELD_LENGTH = 1024;

// oxlint-disable-next-line no-control-regex -- characters that need no escape in JSON and on a terminal
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const INVISIBLE = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
const everyInvisible = new RegExp(INVISIBLE, "g");

/** Formats a string as JSON: truncated, with every character escaped that could forge a line or control a terminal. */
export const jsonString = (text: string): string => {
  if (text.length <= MAX_FIELD_LENGTH && PLAIN.test(text)) return `"${text}"`;
  return escapeInvisible(JSON.stringify(truncate(text)));
};

/** Escapes DEL, C1 controls, line separators, direction marks and invisible characters, which JSON allows but terminals and line readers interpret. */
export const escapeInvisible = (json: string): string =>
  INVISIBLE.test(json) ? json.replace(everyInvisible, escapeCharacter) : json;

/** Truncates a text, and appends the number of removed characters. */
export const truncate = (text: string, length: number = MAX_FIELD_LENGTH): string =>
  text.length <= length ? text : text.slice(0, length) + truncationMark(text.length - length);

/** Returns the mark that replaces the end of a truncated text. */
export const truncationMark = (length: number): string => `… (${length} more)`;

const everyControl = new RegExp(`[\\u0000-\\u001f]|${INVISIBLE.source}`, "g");

/** Returns a text for a terminal, with control and invisible characters escaped. */
export const printable = (text: string): string => text.replace(everyControl, escapeCharacter);

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
