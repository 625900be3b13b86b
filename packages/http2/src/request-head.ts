import { HttpError, type LimitsConfig } from "@framework/core";
import { readHead } from "@framework/core/feature";

/** A request's head, as far as it can be read. */
export interface Http2RequestHead {
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  /** Without pseudo-fields; `host` has the value of `:authority`. */
  readonly fields: readonly string[];
  /** Bytes of the body, `null` while unknown. */
  readonly bodyLength: number | null;
  readonly expectsContinue: boolean;
  /** The error to answer with. */
  readonly refusal: HttpError | null;
}

/**
 * Validates a head by the rules of every transport, after nghttp2 has checked those of HTTP/2: lower-case names, no fields of connections, each
 * pseudo-field once and before all others (RFC 9113 8.2, 8.3). Those are reset as malformed and never arrive here.
 *
 * @param raw name, value, name, value … as received
 * @param isWhole whether the request has no body
 */
export const readRequestHead = (
  raw: readonly string[],
  isWhole: boolean,
  limits: LimitsConfig,
): Http2RequestHead => {
  let method = "";
  let target = "";
  let authority: string | null = null;
  let at = 0;
  for (; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? "";
    if (!name.startsWith(":")) break;
    const value = raw[at + 1] ?? "";
    if (name === ":method") method = value;
    else if (name === ":path") target = value;
    else if (name === ":authority") authority = value;
  }
  const fields = fieldsOf(raw, at, authority);
  const head =
    method === "CONNECT" ? noTunnels() : readHead({ method, target, major: 1, minor: 1, fields }, limits);
  if (head instanceof HttpError)
    return { method, target, authority: "", fields, bodyLength: 0, expectsContinue: false, refusal: head };
  return {
    method,
    target: head.target,
    authority: head.authority,
    fields: head.fields,
    bodyLength: isWhole ? 0 : lengthOf(fields, head.bodyLength),
    expectsContinue: head.expectsContinue && !isWhole,
    refusal: null,
  };
};

/** The fields behind the pseudo-fields. `host` stands for `:authority`, and a `Host` of the same value is dropped (RFC 9113 8.3.1). */
const fieldsOf = (raw: readonly string[], from: number, authority: string | null): string[] => {
  if (authority === null) return raw.slice(from);
  const fields = ["host", authority];
  for (let at = from; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? "";
    const value = raw[at + 1] ?? "";
    if (name !== "host" || value !== authority) fields.push(name, value);
  }
  return fields;
};

/** HTTP/2 needs no `content-length`: without one the length is unknown. */
const lengthOf = (fields: readonly string[], read: number | null): number | null => {
  if (read !== 0) return read;
  for (let at = 0; at < fields.length; at += 2) if (fields[at] === "content-length") return 0;
  return null;
};

const noTunnels = (): HttpError =>
  new HttpError(501, "CONNECT is not supported; WebSocket needs a connection over HTTP/1.1");
