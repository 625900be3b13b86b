import type { ServerResponse } from "node:http";
import { BodyStream } from "../../exchange/payload.ts";
import { type MemoryPayload, shortLength, SLICE_ABOVE } from "../wire/memory-payload.ts";
import { type BodySink, BodyWriter, type BodyWriterEvents, COPIED_BYTES } from "../wire/body-writer.ts";
import type { NodeResponse } from "./node-messages.ts";
import { isConnectionField, allowsBody, type ReplyHead } from "../wire/reply-head.ts";
import type { Reply } from "../../exchange/reply.ts";
import { reasonPhrase } from "../../http/reason-phrase.ts";
import { headerName, headerValue } from "../../response/header-rules.ts";

/**
 * Writes a reply with a short body in memory on a connection that stays open; `false`, with nothing written, for any other reply.
 *
 * @throws CORE_BAD_HEADER for an invalid field, before anything is written
 */
export const writeOrdinary = (response: NodeResponse, reply: Reply): boolean => {
  const { status, payload } = reply;
  if (payload instanceof BodyStream || !allowsBody(status) || response.req.method === "HEAD") return false;
  const length = shortLength(payload);
  if (length < 0) return false;
  const fields = reply.fields();
  for (let at = 0; at < fields.length; at += 2) {
    const [name, value] = [fields[at] as string, fields[at + 1] as string];
    if (isConnectionField(name)) return false;
    headerName(name);
    if (headerValue(name, value) !== value) return false;
  }
  response.statusCode = status;
  response.statusMessage = reasonPhrase(status);
  response.impliedFields = fields;
  endWith(response, payload, length, fields);
  return true;
};

/**
 * Writes a reply's head, and a short body with it. Returns the writer of a long or streamed body, to be started after earlier replies; `null` for a
 * short body.
 *
 * @throws CORE_BAD_HEADER for an invalid field, before anything is written
 */
export const writePrepared = (
  response: ServerResponse,
  { status, fields, payload, length }: ReplyHead,
  minor: number,
  events: BodyWriterEvents,
): BodyWriter | null => {
  response.sendDate = false;
  if (minor === 0) response.useChunkedEncodingByDefault = false;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    headerName(name);
    fields[at + 1] = headerValue(name, fields[at + 1] as string);
  }
  response.writeHead(status, reasonPhrase(status), fields);
  if (payload instanceof BodyStream) return new BodyWriter(nodeSink(response), payload, events);
  if (length !== null && length > SLICE_ABOVE) {
    const bytes = typeof payload === "string" ? new TextEncoder().encode(payload) : payload;
    if (bytes !== null) return new BodyWriter(nodeSink(response), bytes, events);
  }
  endWith(response, payload, length, fields);
  return null;
};

/** `node:http` writes in the next tick, so a chunk that is not copied is never written at once. */
const nodeSink = (response: ServerResponse): BodySink => ({
  write(bytes, taken) {
    if (bytes.byteLength <= COPIED_BYTES) return response.write(Buffer.from(bytes));
    response.write(bytes, taken);
    return false;
  },
  end: () => response.end(),
  on: (event, listener) => response.on(event, listener),
});

/** Sends head and body in one encoding. An ASCII body can be sent as Latin-1, the encoding of heads. */
const endWith = (
  response: ServerResponse,
  payload: MemoryPayload,
  length: number | null,
  fields: readonly string[],
): void => {
  if (payload === null) response.end();
  else if (typeof payload !== "string") response.end(payload);
  else if (length === payload.length) response.end(payload, "latin1");
  else response.end(fields.some(isBeyondAscii) ? new TextEncoder().encode(payload) : payload);
};

const isBeyondAscii = (text: string): boolean => /[\x80-\xff]/.test(text);
