/** Escapes every control character, line separator and bidirectional format character of a text, so that it can neither forge a log line nor control a terminal. */
export const printable = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are the subject
  text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    if (character === "\n") return "\\n";
    if (character === "\t") return "\\t";
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
