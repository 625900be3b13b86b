import type { Reply } from "../../exchange/reply.ts";
import { parseHttpDate } from "../../http/http-date.ts";
import { fieldValue } from "../../http/field-values.ts";
import { FrameworkError } from "../../errors/framework-error.ts";
import { type Payload, payloadLength } from "../../exchange/payload.ts";

/** Framing of a reply's body: none, by its length, chunked, or until the close of the connection. */
export type Framing = "none" | "length" | "chunked" | "close";

/** A reply ready to be written. */
export interface ReplyHead {
  /** Status code. */
  readonly status: number;
  /** All fields of the reply, in a new list. */
  readonly fields: string[];
  /** The body to send: `null` for HEAD and for statuses without a body, even if the reply has one. */
  readonly payload: Payload;
  /** Bytes of the payload, `null` while unknown. */
  readonly length: number | null;
  /** Framing of the body. */
  readonly framing: Framing;
  /** Whether the connection closes after this reply; also `true` if the reply itself has `connection: close`. */
  readonly close: boolean;
}

/** Values of the request and the connection that a reply's head depends on. */
export interface ReplyContext {
  readonly method: string;
  /** Minor version of the request: 1 for HTTP/1.1, 0 for HTTP/1.0. */
  readonly minor: number;
  readonly close: boolean;
  /** Value of `Date`, for a reply without a valid one. */
  readonly date: string;
}

/**
 * Fields that the transport sets. A reply's own values are dropped, because they could contradict the framing; a valid `date` is kept, and the
 * `content-length` of a reply to HEAD without a body.
 */
const connectionFields: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Decides how a reply is sent (RFC 9112 6, RFC 9110 6.4, 8.6): its fields with framing, and whether it has a body.
 *
 * HEAD gets the fields of GET, or the `content-length` of a reply without a body. A 426 keeps its `upgrade` and closes. 204, 205 and 304 never have a body. A
 * body in memory always has a `content-length`.
 *
 * @throws CORE_BAD_REPLY for a status outside 200 to 599, and for an invalid payload
 */
export const prepareReply = (reply: Reply, { method, minor, close, date }: ReplyContext): ReplyHead => {
  const { status } = reply;
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new FrameworkError("CORE_BAD_REPLY", `${status} is not a final status: use 200 to 599`);
  }
  const given = reply.fields();
  const fields = withoutConnectionFields(given);
  const upgrade = status === 426 ? upgradeOf(given) : null;
  if (upgrade !== null) fields.push("upgrade", upgrade);
  const closes = close || upgrade !== null || (fields.length !== given.length && hasConnectionClose(given));
  const bodiless = status === 204 || status === 205 || status === 304;
  const length = bodiless ? 0 : lengthToSend(method, reply);
  if (length !== null && !(Number.isSafeInteger(length) && length >= 0)) {
    throw new FrameworkError(
      "CORE_BAD_REPLY",
      "the payload of a reply must be a string, bytes, a BodyStream or null",
    );
  }
  const framing = bodiless ? "none" : framingOf(length, minor);
  if (length !== null && status !== 204 && status !== 304) fields.push("content-length", String(length));
  if (framing === "chunked") fields.push("transfer-encoding", "chunked");
  fields.push("date", dateOf(given) ?? date);
  const ends = closes || framing === "close";
  if (ends) fields.push("connection", upgrade === null ? "close" : "close, upgrade");
  const silent = bodiless || method === "HEAD";
  return {
    status,
    fields,
    payload: silent ? null : reply.payload,
    length: silent ? 0 : length,
    framing: silent ? "none" : framing,
    close: ends,
  };
};

/**
 * Bytes of a reply's body, `null` while unknown. A reply to HEAD may declare in `content-length` the length of the body that GET would get (RFC 9110 8.6).
 */
export const lengthToSend = (method: string, reply: Reply): number | null => {
  const { payload } = reply;
  if (method !== "HEAD" || payload !== null) return payloadLength(payload);
  const stated = fieldValue(reply.fields(), "content-length");
  return stated !== null && /^\d{1,15}$/.test(stated) ? Number(stated) : 0;
};

/** The first valid `Date` of a reply; a reply that was created elsewhere or earlier keeps its date (RFC 9110 6.6.1). */
const dateOf = (fields: readonly string[]): string | null => {
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const value = fields[at + 1] ?? "";
    if ((fields[at] ?? "").toLowerCase() === "date" && parseHttpDate(value) !== null) return value;
  }
  return null;
};

/** The `upgrade` field that a 426 must have (RFC 9110 15.5.22); `null` without one. In other replies the transport sets the field. */
const upgradeOf = (fields: readonly string[]): string | null => {
  const at = fields.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "upgrade");
  return at === -1 ? null : fields[at + 1] || null;
};

const framingOf = (length: number | null, minor: number): Framing => {
  if (length !== null) return "length";
  return minor === 0 ? "close" : "chunked";
};

/** Whether the transport sets a field; a reply's own value is dropped. */
export const isConnectionField = (name: string): boolean => connectionFields.has(name.toLowerCase());

/** Returns a new list with the fields of a reply, without fields that the transport sets. */
export const withoutConnectionFields = (fields: readonly string[]): string[] => {
  const own: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] ?? "";
    if (!isConnectionField(name)) own.push(name, fields[at + 1] ?? "");
  }
  return own;
};

/** Whether `Connection` contains the option `close`. */
export const hasConnectionClose = (fields: readonly string[]): boolean =>
  fields.some(
    (name, at) =>
      at % 2 === 0 &&
      name.toLowerCase() === "connection" &&
      /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i.test(fields[at + 1] ?? ""),
  );

/** Whether a status is final and allows a body. */
export const allowsBody = (status: number): boolean =>
  status === 200 ||
  (Number.isInteger(status) &&
    status > 200 &&
    status < 600 &&
    status !== 204 &&
    status !== 205 &&
    status !== 304);
