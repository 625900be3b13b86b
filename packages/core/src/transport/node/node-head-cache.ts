import type { IncomingHttpHeaders } from "node:http";
import type { LimitsConfig } from "../../config/limits-config.ts";
import { HttpError } from "../../errors/http-error.ts";
import { type RawHead, readHead, type RequestHead } from "../wire/request-head.ts";
import { readTarget } from "../../http/request-target.ts";

/** Received header fields, with values derived from them. */
export class CachedFields {
  readonly fields: readonly string[];
  /** `headers` of `node:http`, kept since the fields repeated; each message gets a copy. */
  template: IncomingHttpHeaders | null = null;
  /** The validated head of a request with these fields and `method`. */
  head: RequestHead | null = null;
  method = "";

  constructor(fields: readonly string[]) {
    this.fields = fields.slice(); // a copy: tools may change `rawHeaders`
  }
}

/** A message, as the cache uses it. */
export interface HasFields {
  readonly rawHeaders: string[];
  /** Cache entry of its fields; set when `headers` was read. */
  cachedFields: CachedFields | null;
}

/**
 * Validates the heads of one connection and keeps the last one: most clients repeat their fields from request to request. `docs/memos.md` has
 * what that saves.
 */
export class NodeHeadCache {
  private readonly limits: LimitsConfig;
  private current: CachedFields | null = null;

  constructor(limits: LimitsConfig) {
    this.limits = limits;
  }

  /** `headers` of a message as `node:http` builds them, in an object of its own. */
  headers<Message extends HasFields>(
    message: Message,
    read: (message: Message) => IncomingHttpHeaders,
  ): IncomingHttpHeaders {
    const known = this.recall(message.rawHeaders);
    message.cachedFields = known ?? this.begin(message.rawHeaders);
    if (known === null) return read(message);
    return { ...(known.template ??= { ...read(message) }) };
  }

  /**
   * The result of `readHead`.
   *
   * @param known the cache entry that `headers` found for the message
   */
  read(
    { method, target, major, minor, fields }: RawHead,
    known: CachedFields = this.recall(fields) ?? this.begin(fields),
  ): RequestHead | HttpError {
    const current = major === 1 && minor === 1;
    if (current && known.head !== null && method === known.method) {
      const head = this.again(method, target, known, known.head);
      if (head !== null) return head;
    }
    const head = readHead({ method, target, major, minor, fields: known.fields }, this.limits);
    // An absolute-form target replaces Host, so that the result holds for this target only.
    if (current && !(head instanceof HttpError) && head.fields === known.fields) {
      known.method = method;
      known.head = head;
    }
    return head;
  }

  /** The head of a message with equal fields and any target; `null` when the target needs `readHead`. */
  private again(method: string, target: string, known: CachedFields, head: RequestHead): RequestHead | null {
    if (target === head.target) return head;
    if (method.length + target.length + " HTTP/1.1 ".length > this.limits.maxRequestLine) return null;
    const read = readTarget(method, target);
    if (read === null || read.authority !== null) return null;
    const { authority, fields, bodyLength, expectsContinue, last } = head;
    return (known.head = { target: read.target, authority, fields, bodyLength, expectsContinue, last });
  }

  /** The cache entry of equal fields. */
  private recall(fields: readonly string[]): CachedFields | null {
    const { current } = this;
    return current !== null && isSame(fields, current.fields) ? current : null;
  }

  private begin(fields: readonly string[]): CachedFields {
    return (this.current = new CachedFields(fields));
  }
}

const isSame = (some: readonly string[], others: readonly string[]): boolean => {
  if (some === others) return true;
  if (some.length !== others.length) return false;
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false;
  return true;
};
