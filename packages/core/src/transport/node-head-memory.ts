import type { IncomingHttpHeaders } from "node:http";
import type { LimitsConfig } from "../config/limits-config.ts";
import { HttpError } from "../errors/http-error.ts";
import { type RawHead, readHead, type RequestHead } from "./request-head.ts";
import { readTarget } from "./request-target.ts";

/** A message as far as its fields are concerned. */
interface HasFields {
  readonly rawHeaders: string[];
}

/**
 * Reads the heads of one connection, and remembers the last: most clients repeat their fields from request to request, and what follows from
 * those need not be found again.
 */
export class NodeHeadMemory {
  private readonly limits: LimitsConfig;
  private fields: readonly string[] = [];
  /** The fields as `node:http` gives them, once they were repeated; nobody else has this object. */
  private template: IncomingHttpHeaders | null = null;
  /** What the rules made of the fields in a request with this method. */
  private known: RequestHead | null = null;
  private method = "";

  constructor(limits: LimitsConfig) {
    this.limits = limits;
  }

  /** The fields as `node:http` gives them, in an object for this message alone. */
  headers<Message extends HasFields>(
    message: Message,
    read: (message: Message) => IncomingHttpHeaders,
  ): IncomingHttpHeaders {
    const fields = message.rawHeaders;
    const repeated = isSame(fields, this.fields);
    if (repeated && this.template !== null) {
      this.fields = fields; // the next to ask, for the same message, has this very list
      return { ...this.template };
    }
    const headers = read(message);
    this.template = repeated ? { ...headers } : null;
    if (!repeated) this.known = null;
    this.fields = fields;
    return headers;
  }

  /** What `readHead` gives. */
  read(raw: RawHead): RequestHead | HttpError {
    const { known } = this;
    const current = raw.major === 1 && raw.minor === 1;
    if (known !== null && current && raw.method === this.method && isSame(raw.fields, this.fields)) {
      const head = this.recall(raw, known);
      if (head !== null) return head;
    }
    const head = readHead(raw, this.limits);
    if (current && !(head instanceof HttpError)) this.remember(raw, head);
    return head;
  }

  private recall({ method, target }: RawHead, known: RequestHead): RequestHead | null {
    if (target === known.target) return known;
    if (method.length + target.length + " HTTP/1.1 ".length > this.limits.maxRequestLine) return null;
    const read = readTarget(method, target);
    if (read === null || read.authority !== null) return null;
    const { authority, fields, bodyLength, expectsContinue, last } = known;
    return (this.known = { target: read.target, authority, fields, bodyLength, expectsContinue, last });
  }

  /** An absolute-form target changes the fields, so that they say nothing about other targets. */
  private remember({ method, fields }: RawHead, head: RequestHead): void {
    if (head.fields !== fields) return;
    if (fields !== this.fields) this.template = null;
    this.method = method;
    this.fields = fields;
    this.known = head;
  }
}

const isSame = (some: readonly string[], others: readonly string[]): boolean => {
  if (some === others) return true;
  if (some.length !== others.length) return false;
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false;
  return true;
};
