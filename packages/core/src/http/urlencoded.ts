const encoder = new TextEncoder();
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

const PERCENT = 0x25;

/**
 * Splits and decodes `application/x-www-form-urlencoded` text as `URLSearchParams` does (WHATWG URL, section 5.1), in linear time.
 *
 * `+` is a space, malformed escapes are kept, escaped bytes that are not UTF-8 become U+FFFD. The result is flat: name, value, name, value …
 *
 * @throws the error of `tooMany`, before the first pair beyond `max` is decoded
 */
export const parseUrlencoded = (text: string, max: number, tooMany: () => Error): string[] => {
  const input = text.toWellFormed();
  const decode = decoderOf(input);
  const pairs: string[] = [];
  let equals = -1;
  for (let start = 0, end = 0; start < input.length; start = end + 1) {
    end = indexOrEnd(input, "&", start);
    if (end === start) continue;
    if (pairs.length === 2 * max) throw tooMany();
    if (equals < start) equals = indexOrEnd(input, "=", start);
    const nameEnd = Math.min(equals, end);
    pairs.push(decode(input.slice(start, nameEnd)), decode(input.slice(nameEnd + 1, end)));
  }
  return pairs;
};

const indexOrEnd = (text: string, mark: string, from: number): number => {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at;
};

/** Returns the decoder of one input: none for plain text; the native decoder until it first fails, then the lenient one, because exceptions are slow. */
const decoderOf = (input: string): ((part: string) => string) => {
  if (!input.includes("%")) return input.includes("+") ? plusToSpace : (part) => part;
  let isNative = true;
  return (part) => {
    const text = plusToSpace(part);
    if (!text.includes("%")) return text;
    if (!isNative) return decodeLeniently(text);
    try {
      return decodeURIComponent(text);
    } catch {
      isNative = false; // not an error: malformed escapes are kept (URL standard)
      return decodeLeniently(text);
    }
  };
};

const plusToSpace = (part: string): string => part.replaceAll("+", " ");

const decodeLeniently = (text: string): string => {
  const bytes = encoder.encode(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const escaped = byte === PERCENT ? escapedByte(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0) : -1;
    if (escaped >= 0) at += 2;
    bytes[length++] = escaped >= 0 ? escaped : byte;
  }
  return lenient.decode(bytes.subarray(0, length));
};

/** Returns the byte of two hexadecimal digits; negative for other characters. */
const escapedByte = (high: number, low: number): number => (hexDigit(high) << 4) | hexDigit(low);

const hexDigit = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
};
