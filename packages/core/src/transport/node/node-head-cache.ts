import type { IncomingHttpHeaders } from "node:http";
import type { LimitsConfig } from "../../config/limits-config.ts";
import { HttpError } from "../../errors/http-error.ts";
import { type RawHead, readHead, type RequestHead } from "../wire/request-head.ts";
import { readTarget } from "../../http/request-target.ts";

/** A list of fields that came, and what follows from it. */
export class CachedFields {
  readonly fields: readonly string[];
  /** The fields as `node:http` gives them, once they were repeated; nobody else has this object. */
  template: IncomingHttpHeaders | null = null;
  /** What the rules made of the fields in a request with this method. */
  head: RequestHead | null = null;
  method = "";

  constructor(fields: readonly string[]) {
    this.fields = fields.slice(); // others have the list, and might change it
  }
}

/** The list of fields that was the last to be repeated, on any connection: those of one program, or one proxy, are alike on all of them. */
export class RecentFields {
  last: CachedFields | null = null;
}

/** A message as far as its fields are concerned. */
export interface HasFields {
  readonly rawHeaders: string[];
  /** What is known of its fields, once somebody has asked for them. */
  cachedFields: CachedFields | null;
}

/**
 * Reads the heads of one connection, and remembers the last: most clients repeat their fields from request to request, and what follows from
 * those need not be found again.
 */
export class NodeHeadCache {
  private readonly limits: LimitsConfig;
  private readonly recent: RecentFields;
  private current: CachedFields | null = null;

  constructor(limits: LimitsConfig, recent: RecentFields) {
    this.limits = limits;
    this.recent = recent;
  }

  /** The fields as `node:http` gives them, in an object for this message alone. */
  headers<Message extends HasFields>(
    message: Message,
    read: (message: Message) => IncomingHttpHeaders,
  ): IncomingHttpHeaders {
    const known = this.recall(message.rawHeaders);
    message.cachedFields = known ?? this.begin(message.rawHeaders);
    if (known === null) return read(message);
    return { ...(known.template ?? this.learn(known, read(message))) };
  }

  /**
   * What `readHead` gives.
   *
   * @param known what `headers` found out about the fields of the message
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
    // An absolute-form target changes the fields, so that they say nothing about other targets.
    if (current && !(head instanceof HttpError) && head.fields === known.fields) {
      known.method = method;
      known.head = head;
    }
    return head;
  }

  /** The head of a message with known fields and perhaps another target; `null` when that has to be read with care. */
  private again(method: string, target: string, known: CachedFields, head: RequestHead): RequestHead | null {
    if (target === head.target) return head;
    if (method.length + target.length + " HTTP/1.1 ".length > this.limits.maxRequestLine) return null;
    const read = readTarget(method, target);
    if (read === null || read.authority !== null) return null;
    const { authority, fields, bodyLength, expectsContinue, last } = head;
    return (known.head = { target: read.target, authority, fields, bodyLength, expectsContinue, last });
  }

  /** What is known of a list of fields. */
  private recall(fields: readonly string[]): CachedFields | null {
    const { current } = this;
    if (current === null) return this.adopt(fields);
    return isSame(fields, current.fields) ? current : null;
  }

  private adopt(fields: readonly string[]): CachedFields | null {
    const { last } = this.recent;
    return last !== null && isSame(fields, last.fields) ? (this.current = last) : null;
  }

  private begin(fields: readonly string[]): CachedFields {
    return (this.current = new CachedFields(fields));
  }

  private learn(known: CachedFields, headers: IncomingHttpHeaders): IncomingHttpHeaders {
    this.recent.last = known;
    return (known.template = { ...headers });
  }
}

const isSame = (some: readonly string[], others: readonly string[]): boolean => {
  if (some === others) return true;
  if (some.length !== others.length) return false;
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false;
  return true;
};
