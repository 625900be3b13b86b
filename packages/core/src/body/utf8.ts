import { ValueError } from "../errors/http-errors.ts";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8 strictly; a byte order mark is kept as a character. @param subject subject of the error message, such as `The form`
 *
 * @throws ValueError 400 for bytes that are not UTF-8
 */
export const decodeUtf8 = (bytes: Uint8Array, subject: string): string => {
  try {
    return strict.decode(bytes);
  } catch (cause) {
    throw new ValueError(`${subject} is not valid UTF-8`, { cause });
  }
};
