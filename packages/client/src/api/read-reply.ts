import { plainType } from "@framework/core/http";
import { ClientError } from "../http/client-error.ts";
import { isJson } from "./json-type.ts";
import type { OperationSpec, ReplyKind } from "./operation.ts";
import { streamEvents } from "./stream-events.ts";
import { streamLines } from "./stream-lines.ts";
import { UndeclaredReplyError } from "./undeclared-reply-error.ts";

const MAX_SHOWN_CHARACTERS = 65_536;

/** Returns the declared kinds of a reply's body; `undefined` for an undeclared status. */
const kindsOf = ({ replies }: OperationSpec, status: number): readonly ReplyKind[] | undefined =>
  [String(status), `${Math.floor(status / 100)}XX`, "default"]
    .map((key) => (Object.hasOwn(replies, key) ? replies[key] : undefined))
    .find((kinds) => kinds !== undefined);

/** Whether the caller reads the body itself, as events, lines or bytes. All other bodies are read by the client within the limits of the call. */
export const isStream = (spec: OperationSpec, reply: Response): boolean =>
  ["events", "lines", "bytes", "anyBytes"].includes(kindOf(spec, reply) ?? "none");

/**
 * Reads a declared reply.
 *
 * @param maxEventCharacters maximum number of characters in an event or line
 * @throws UndeclaredReplyError, ClientError CLIENT_MALFORMED_REPLY, and the errors of reading the body
 */
export const readReply = async (
  spec: OperationSpec,
  reply: Response,
  maxEventCharacters: number,
): Promise<object> => {
  const kind = kindOf(spec, reply);
  if (kind === undefined) throw new UndeclaredReplyError(spec.route, reply, await startOf(reply));
  const { status, ok, headers } = reply;
  return { status, ok, headers, body: await bodyAs(kind, spec, reply, maxEventCharacters) };
};

/** Returns the declared kind that matches the Content-Type of the body; `undefined` if none does. */
const kindOf = (spec: OperationSpec, reply: Response): ReplyKind | undefined => {
  const declared = kindsOf(spec, reply.status);
  if (declared === undefined) return undefined;
  if (reply.body === null || declared.every((kind) => kind === "none"))
    return declared.find((kind) => kind === "none") ?? (spec.route.startsWith("HEAD ") ? "none" : undefined);
  const type = plainType(reply.headers.get("content-type") ?? "");
  const possible = declared.filter((kind) => isOfKind(type, kind));
  const bytes = possible.find((kind) => kind === "bytes" || kind === "anyBytes");
  if (possible.includes("text") && bytes !== undefined) return type === "" || isText(type) ? "text" : bytes;
  return possible.find((kind) => kind !== "anyBytes") ?? possible[0];
};

const isOfKind = (type: string, kind: ReplyKind): boolean => {
  if (kind === "none") return false;
  if (kind === "anyBytes") return true;
  if (kind === "json") return isJson(type);
  if (kind === "events") return type === "text/event-stream";
  if (kind === "lines") return LINES.test(type);
  if (kind === "text") return type === "" || (!isJson(type) && type !== "text/event-stream");
  return !isJson(type);
};

/** Whether bodies of a media type are read as plain text. */
export const isText = (type: string): boolean =>
  type.startsWith("text/") || type === "application/xml" || type.endsWith("+xml");

/** Media types with one JSON value per line. */
export const LINES: RegExp = /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines|json-seq)$/;

const bodyAs = async (
  kind: ReplyKind,
  spec: OperationSpec,
  reply: Response,
  maxEventCharacters: number,
): Promise<unknown> => {
  if (kind === "json") return parseJson(spec, await reply.text());
  if (kind === "text") return reply.text();
  const { body } = reply;
  if (kind === "none" || body === null) {
    body?.cancel().catch(() => {}); // the document declares no content
    return undefined;
  }
  if (kind === "events") return cancellable(body, streamEvents(body, maxEventCharacters));
  return kind === "lines" ? cancellable(body, jsonLines(spec, streamLines(body, maxEventCharacters))) : body;
};

/**
 * Returns the items of a body; a reader that stops before its first read cancels the body. JavaScript ends a generator that has not started without running
 * its `finally`.
 */
const cancellable = <T>(body: NonNullable<Response["body"]>, items: AsyncGenerator<T>): AsyncGenerator<T> => {
  const end = items.return.bind(items);
  return Object.assign(items, {
    return(value: unknown) {
      if (!body.locked) body.cancel().catch(() => {}); // the first read locks it
      return end(value);
    },
  });
};

async function* jsonLines(spec: OperationSpec, lines: AsyncIterable<string>): AsyncGenerator<unknown> {
  for await (const line of lines) {
    const text = line.startsWith("\u001e") ? line.slice(1) : line; // RFC 7464 record separator
    if (text.trim() !== "") yield parseJson(spec, text);
  }
}

const parseJson = ({ route }: OperationSpec, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ClientError("CLIENT_MALFORMED_REPLY", `${route} returned malformed JSON`, {
      cause: error,
    });
  }
};

/** Returns the start of a body as text, and cancels the rest. */
const startOf = async ({ body }: Response): Promise<string> => {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const part of body) {
      text += decoder.decode(part, { stream: true });
      if (text.length >= MAX_SHOWN_CHARACTERS) break;
    }
  } catch {
    // The part that has arrived is enough: the undeclared status is the error to report.
  }
  return text.slice(0, MAX_SHOWN_CHARACTERS);
};
