import type { ServerResponse } from "node:http";
import { utf8Length } from "../response/payload.ts";
import { type BodyWriterEvents, NodeBodyWriter } from "./node-body-writer.ts";
import type { ReplyHead } from "./reply-head.ts";

/** Payloads above this are written in slices, so that a client that does not read is felt and a slow one seen to make progress. */
const sliceAbove = 262_144;

/**
 * Writes a reply's head, and its body too when that is one write; otherwise gives the writer to start when it is this reply's turn.
 *
 * @throws before anything is written, when a field cannot go on the wire
 */
export const writeReply = (
  response: ServerResponse,
  { status, fields, payload, length }: ReplyHead,
  minor: number,
  events: BodyWriterEvents,
): NodeBodyWriter | null => {
  response.sendDate = false;
  if (minor === 0) response.useChunkedEncodingByDefault = false;
  response.writeHead(status, fields);
  if (payload === null) response.end();
  else if (typeof payload === "string") {
    if (isLong(payload)) return new NodeBodyWriter(response, new TextEncoder().encode(payload), events);
    // Head and body go out as one string in one encoding: what is ASCII is safe in Latin-1, which a head may have characters of.
    if (length === payload.length) response.end(payload, "latin1");
    else response.end(fields.some(isBeyondAscii) ? new TextEncoder().encode(payload) : payload);
  } else if (payload instanceof Uint8Array && payload.byteLength <= sliceAbove) response.end(payload);
  else return new NodeBodyWriter(response, payload, events);
  return null;
};

const isLong = (text: string): boolean =>
  text.length > sliceAbove || (text.length > sliceAbove / 3 && utf8Length(text) > sliceAbove);

const isBeyondAscii = (text: string): boolean => /[\x80-\xff]/.test(text);
