import { reasonOf, testingError } from "./errors.ts";
import { readSetCookies, type SetCookie } from "./set-cookie.ts";

/** A reply with its whole body. */
export interface TestReply {
  /** Status of the reply. */
  readonly status: number;
  /** Header fields of the reply. */
  readonly headers: Headers;
  /** The body as UTF-8. */
  readonly text: string;
  /** The body. */
  readonly bytes: Uint8Array;
  /** Cookies of the reply by name; the last of the same name wins. */
  readonly cookies: ReadonlyMap<string, SetCookie>;
  /** The body parsed as JSON, whatever its content type. @throws TESTING_NOT_JSON with the start of the body */
  json<T = unknown>(): T;
}

/** Reads a reply to its end. `title` names the request in messages. @throws TESTING_REPLY_TOO_LARGE */
export const readReply = async (response: Response, title: string, maxBytes: number): Promise<TestReply> => {
  const bytes = await readBytes(response, title, maxBytes);
  const { status, headers } = response;
  const decoded = lazily(() => new TextDecoder().decode(bytes));
  return {
    status,
    headers,
    bytes,
    cookies: new Map(readSetCookies(headers).map((cookie) => [cookie.name, cookie])),
    get text() {
      return decoded();
    },
    json: <T>() => {
      try {
        return JSON.parse(decoded()) as T; // the caller states the type
      } catch (cause) {
        const type = headers.get("content-type") ?? "no content type";
        const found = `${title} answered ${status} with ${type}, not JSON (${reasonOf(cause)})`;
        throw testingError("TESTING_NOT_JSON", `${found}: ${startOf(decoded())}`, cause);
      }
    },
  };
};

const lazily = (make: () => string): (() => string) => {
  let made: string | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

const readBytes = async ({ body }: Response, title: string, maxBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > maxBytes) {
      const message = `${title} answered with more than ${maxBytes} bytes; read it with stream, or raise maxReplyBytes`;
      throw testingError("TESTING_REPLY_TOO_LARGE", message);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const startOf = (text: string): string => {
  if (text === "") return "the body is empty";
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};
