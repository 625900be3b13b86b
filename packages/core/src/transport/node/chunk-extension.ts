const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Place within the extensions of a chunk; the next byte decides. */
export type ExtensionPlace =
  | "before name"
  | "name"
  | "before value"
  | "value"
  | "quoted"
  | "escaped"
  | "after quoted";

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]/;
const QUOTABLE = /[\t\x20-\x7e\x80-\xff]/;

/** The place after a byte of an extension (RFC 9112 7.1.1); `null` for a byte that is not allowed there. Blanks around `;` and `=` are not. */
export const nextInExtension = (place: ExtensionPlace, byte: number): ExtensionPlace | null => {
  switch (place) {
    case "before name":
      return isToken(byte) ? "name" : null;
    case "name":
      if (byte === EQUALS) return "before value";
      return byte === SEMICOLON ? "before name" : within("name", byte);
    case "before value":
      return byte === QUOTE ? "quoted" : within("value", byte);
    case "value":
      return byte === SEMICOLON ? "before name" : within("value", byte);
    case "quoted":
      if (byte === QUOTE) return "after quoted";
      return byte === BACKSLASH ? "escaped" : quotable(byte);
    case "escaped":
      return quotable(byte);
    case "after quoted":
      return byte === SEMICOLON ? "before name" : null;
  }
};

/** Whether the line may end there. */
export const mayEnd = (place: ExtensionPlace): boolean =>
  place === "name" || place === "value" || place === "after quoted";

const isToken = (byte: number): boolean => TOKEN.test(String.fromCharCode(byte));
const within = (place: "name" | "value", byte: number): ExtensionPlace | null =>
  isToken(byte) ? place : null;
const quotable = (byte: number): ExtensionPlace | null =>
  QUOTABLE.test(String.fromCharCode(byte)) ? "quoted" : null;
