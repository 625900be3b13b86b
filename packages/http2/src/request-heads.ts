import { HttpError, type LimitsConfig } from "@framework/core";
import { readHead, readTarget } from "@framework/core/feature";

/** The head of a request, parsed as far as it is valid. Later requests with the same head may share it. */
export interface Http2RequestHead {
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  /** Without pseudo-fields; `host` has the value of `:authority`. */
  readonly fields: readonly string[];
  /** Bytes of the body; `null` if unknown. */
  readonly bodyLength: number | null;
  readonly expectsContinue: boolean;
  /** The reason to reject the request; `null` for a valid head. */
  readonly refusal: HttpError | null;
  /** Characters of all names and values. */
  readonly size: number;
}

/** The last valid head of a connection, which a request with equal fields reuses. */
interface LastHead {
  head: Http2RequestHead;
  readonly raw: readonly string[];
  /** Index of the first field after the pseudo-fields. */
  readonly from: number;
  readonly pseudoAuthority: string | null;
  readonly hasNoBody: boolean;
}

/**
 * Validates the heads of one connection by the rules of every transport. nghttp2 has already checked the rules of HTTP/2 and reset malformed requests: lower-case
 * names, no connection fields, each pseudo-field once and before all others (RFC 9113 8.2, 8.3).
 *
 * Caches the last valid head, because most clients repeat their fields in each request.
 */
export class RequestHeads {
  private readonly limits: LimitsConfig;
  private last: LastHead | null = null;

  constructor(limits: LimitsConfig) {
    this.limits = limits;
  }

  /**
   * @param raw name, value, name, value … as received
   * @param hasNoBody whether the request ends with its head
   */
  read(raw: readonly string[], hasNoBody: boolean): Http2RequestHead {
    let method = "";
    let target = "";
    let authority: string | null = null;
    let from = 0;
    for (; from + 1 < raw.length; from += 2) {
      const name = raw[from] ?? "";
      if (name.charCodeAt(0) !== COLON) break;
      const value = raw[from + 1] ?? "";
      if (name.length === PATH_LENGTH) target = value;
      else if (name.length === AUTHORITY_LENGTH) authority = value;
      else if (name.charCodeAt(1) === LETTER_M) method = value;
    }
    const { last } = this;
    if (last !== null && hasNoBody === last.hasNoBody && authority === last.pseudoAuthority) {
      const reused = method === last.head.method && isSame(raw, from, last) ? this.reuse(target, last) : null;
      if (reused !== null) return reused;
    }
    const fields = fieldsOf(raw, from, authority);
    const isContradicted = authority !== null && contradicts(fields);
    const parts = { method, target, fields, hasNoBody, isContradicted, size: sizeOf(raw) };
    const head = validate(parts, this.limits);
    // An absolute-form target replaces the authority, so the result would be valid for this target only.
    if (head.refusal === null && head.fields === fields)
      this.last = { head, raw, from, pseudoAuthority: authority, hasNoBody };
    return head;
  }

  /** Returns the head of a request whose fields equal the last ones; `null` when the target needs `readHead`. */
  private reuse(target: string, last: LastHead): Http2RequestHead | null {
    const { head } = last;
    if (target === head.target) return head;
    if (head.method.length + target.length + REQUEST_LINE_OVERHEAD > this.limits.maxRequestLine) return null;
    const known = readTarget(head.method, target);
    if (known === null || known.authority !== null) return null;
    const { method, authority, fields, bodyLength, expectsContinue } = head;
    const size = head.size - head.target.length + target.length;
    last.head = { method, target, authority, fields, bodyLength, expectsContinue, refusal: null, size };
    return last.head;
  }
}

const COLON = 0x3a;
const LETTER_M = 0x6d;
/** Lengths of `:path` and `:authority`. The other pseudo-fields are `:method` and `:scheme`; nghttp2 rejects unknown ones. */
const PATH_LENGTH = 5;
const AUTHORITY_LENGTH = 10;

/** Bytes of a request line in addition to method and target: two spaces and `HTTP/1.1`. */
const REQUEST_LINE_OVERHEAD = 10;

/** Whether the fields after the pseudo-fields equal the fields of the last head. */
const isSame = (raw: readonly string[], from: number, last: LastHead): boolean => {
  const shift = last.from - from;
  const others = last.raw;
  if (raw.length + shift !== others.length) return false;
  for (let at = raw.length - 1; at >= from; at--) if (raw[at] !== others[at + shift]) return false;
  return true;
};

interface HeadParts {
  readonly method: string;
  readonly target: string;
  readonly fields: string[];
  readonly hasNoBody: boolean;
  readonly isContradicted: boolean;
  readonly size: number;
}

const validate = (parts: HeadParts, limits: LimitsConfig): Http2RequestHead => {
  const { method, target, fields, hasNoBody, isContradicted, size } = parts;
  const head =
    method === "CONNECT"
      ? connectUnsupported()
      : readHead({ method, target, major: 1, minor: 1, fields }, limits);
  if (head instanceof HttpError)
    return {
      method,
      target,
      authority: "",
      fields,
      bodyLength: hasNoBody ? 0 : null,
      expectsContinue: false,
      refusal:
        isContradicted && head.status === 400 ? new HttpError(400, "Host contradicts :authority") : head,
      size,
    };
  return {
    method,
    target: head.target,
    authority: head.authority,
    fields: head.fields,
    bodyLength: hasNoBody ? 0 : lengthOf(fields, head.bodyLength),
    expectsContinue: head.expectsContinue && !hasNoBody,
    refusal: null,
    size,
  };
};

const sizeOf = (raw: readonly string[]): number => {
  let size = 0;
  for (const text of raw) size += text.length;
  return size;
};

/**
 * Returns the fields after the pseudo-fields. `host` has the value of `:authority`, and an equal `Host` is dropped (RFC 9113 8.3.1). Cookie pairs are joined
 * into one field (8.2.3), because browsers send each pair in its own field.
 */
const fieldsOf = (raw: readonly string[], from: number, authority: string | null): string[] => {
  const fields = authority === null ? [] : ["host", authority];
  let cookieAt = -1;
  for (let at = from; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? "";
    const value = raw[at + 1] ?? "";
    if (name === "host" && authority !== null && isSameHost(value, authority)) continue;
    if (name !== "cookie") fields.push(name, value);
    else if (cookieAt !== -1) fields[cookieAt] += `; ${value}`;
    else cookieAt = fields.push(name, value) - 1;
  }
  return fields;
};

/** Hosts are case-insensitive (RFC 9110 4.2.3). */
const isSameHost = (one: string, other: string): boolean =>
  one === other || one.toLowerCase() === other.toLowerCase();

/** Whether a `Host` differs from `:authority`: `fieldsOf` has dropped an equal one, so any `host` after the first field differs. */
const contradicts = (fields: readonly string[]): boolean => {
  for (let at = 2; at < fields.length; at += 2) if (fields[at] === "host") return true;
  return false;
};

/** HTTP/2 needs no `content-length`: without one the length is unknown. */
const lengthOf = (fields: readonly string[], length: number | null): number | null => {
  if (length !== 0) return length;
  for (let at = 0; at < fields.length; at += 2) if (fields[at] === "content-length") return 0;
  return null;
};

const connectUnsupported = (): HttpError =>
  new HttpError(501, "CONNECT is not supported; WebSocket needs a connection over HTTP/1.1");
