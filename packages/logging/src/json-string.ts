/** UTF-16 units of one field; what is longer is cut. */
export const MAX_FIELD_LENGTH = 1024;

// oxlint-disable-next-line no-control-regex -- what may stand in JSON and on a terminal as it is
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const UNSEEN = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;
const EVERY_UNSEEN = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** A string as JSON of one field: cut to its bound, and free of everything that could forge a line or steer a terminal. */
export const jsonString = (text: string): string => {
  if (text.length <= MAX_FIELD_LENGTH && PLAIN.test(text)) return `"${text}"`;
  return withoutUnseen(JSON.stringify(cut(text)));
};

/** JSON leaves DEL, C1 controls, line separators and marks of direction as they are; terminals and line readers do not. */
export const withoutUnseen = (json: string): string =>
  UNSEEN.test(json) ? json.replace(EVERY_UNSEEN, escaped) : json;

/** The text itself, or its beginning with what is missing. */
export const cut = (text: string, length: number = MAX_FIELD_LENGTH): string =>
  text.length <= length ? text : `${text.slice(0, length)}… (${text.length - length} more)`;

// oxlint-disable-next-line no-control-regex -- control characters are the subject
const EVERY_CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Text for a terminal, with every control character written as an escape. */
export const printable = (text: string): string => text.replace(EVERY_CONTROL, escaped);

function escaped(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
