const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** State of the parser of chunk extensions, before the next byte. */
export type ExtensionState =
  | "before name"
  | "name"
  | "before value"
  | "value"
  | "quoted"
  | "escaped"
  | "after quoted";

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]/;
const QUOTABLE = /[\t\x20-\x7e\x80-\xff]/;

/** The state after a byte of an extension (RFC 9112 7.1.1); `null` for a byte that is not allowed, such as a blank around `;` or `=`. */
export const nextInExtension = (state: ExtensionState, byte: number): ExtensionState | null => {
  switch (state) {
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

/** Whether the line may end in this state. */
export const mayEnd = (state: ExtensionState): boolean =>
  state === "name" || state === "value" || state === "after quoted";

const isToken = (byte: number): boolean => TOKEN.test(String.fromCharCode(byte));
const within = (state: "name" | "value", byte: number): ExtensionState | null =>
  isToken(byte) ? state : null;
const quotable = (byte: number): ExtensionState | null =>
  QUOTABLE.test(String.fromCharCode(byte)) ? "quoted" : null;
