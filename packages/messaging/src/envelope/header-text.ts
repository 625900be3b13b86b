/** Maximum UTF-8 bytes of an error text in a header: all headers of a dead letter stay below MAX_OWN_HEADER_BYTES. */
const MAX_TEXT_BYTES = 500;

/** Truncates a text to 500 bytes and replaces characters that a broker refuses in a header. */
export const headerText = (text: string): string => {
  const bytes = new TextEncoder().encode(text.replaceAll(REFUSED, "?"));
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return decoder.decode(bytes.subarray(0, MAX_TEXT_BYTES), { stream: true }); // drops an incomplete last character
};

const REFUSED = /[\p{Cc}\p{Noncharacter_Code_Point}]/gu;
