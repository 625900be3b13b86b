/** Decoded credentials of Basic authentication. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** Maximum length of the encoded credentials. */
const MAX_LENGTH = 8192;

/**
 * Parses encoded credentials (RFC 7617 2), strictly: canonical Base64, UTF-8, no control characters, a name before the first colon, which
 * may be empty only with `allowEmptyName`. Returns `null` for anything else.
 */
export const parseBasicCredentials = (encoded: string, allowEmptyName = false): BasicCredentials | null => {
  if (encoded.length > MAX_LENGTH) return null;
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.toString("base64") !== encoded) return null;
  const text = toText(bytes);
  const colon = text?.indexOf(":") ?? -1;
  if (text === null || colon < (allowEmptyName ? 0 : 1) || /\p{Cc}/u.test(text)) return null;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
};

const toText = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null; // not UTF-8
  }
};
