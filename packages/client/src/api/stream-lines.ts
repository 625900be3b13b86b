import { ClientError } from "../http/client-error.ts";

/**
 * Splits a body into lines, which end with LF, CR or CR LF. Cancels the body if the reader stops early.
 *
 * @param maxLength maximum length of one line in UTF-16 code units
 */
export async function* streamLines(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxLength: number,
): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder(); // removes a byte order mark
  let rest = "";
  let skipsLineFeed = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      let text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      if (skipsLineFeed && text !== "") {
        if (text.startsWith("\n")) text = text.slice(1);
        skipsLineFeed = false;
      }
      if (text.endsWith("\r")) skipsLineFeed = true;
      const lines = text.split(/\r\n|\r|\n/);
      lines[0] = rest + (lines[0] ?? "");
      rest = lines.pop() ?? "";
      for (const line of lines) yield checkLength(line, maxLength);
      checkLength(rest, maxLength);
      if (done) break;
    }
    if (rest !== "") yield rest;
  } finally {
    reader.cancel().catch(() => {}); // its error was already thrown
  }
}

const checkLength = (line: string, maxLength: number): string => {
  if (line.length <= maxLength) return line;
  throw new ClientError(
    "CLIENT_BODY_TOO_LARGE",
    `a line of the stream is longer than ${maxLength} characters`,
  );
};
