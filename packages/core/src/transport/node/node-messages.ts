import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeader,
  OutgoingHttpHeaders,
  ServerResponse,
} from "node:http";
import type { HasFields, CachedFields, NodeHeadCache } from "./node-head-cache.ts";

/** A request that carries the cache entry of its fields. */
export interface NodeRequest extends IncomingMessage, HasFields {
  rawHeaders: string[];
}

/** A `ServerResponse` whose head can be given as fields without framing. */
export interface NodeResponse extends ServerResponse {
  /** Fields for the implicit head of `end`, which adds `content-length` and `date`; not changed by the response. */
  impliedFields: readonly string[] | null;
}

type RequestClass = typeof IncomingMessage;
type ResponseClass = typeof ServerResponse;
type Fields = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * The class of a server's requests, whose `headers` come from the cache of the connection; `node:http` itself reads `headers` of each
 * request. Every request gets an object of its own.
 *
 * Overrides the accessor `headers`; where a release of Node has none on the prototype, requests are plain `IncomingMessage`s.
 *
 * @param cacheOf the cache of the request's connection, `undefined` without one
 */
export const requestClass = (
  cacheOf: (request: IncomingMessage) => NodeHeadCache | undefined,
): RequestClass => {
  const { IncomingMessage } = process.getBuiltinModule("node:http");
  const read = Object.getOwnPropertyDescriptor(IncomingMessage.prototype, "headers")?.get;
  if (read === undefined) return IncomingMessage;
  const readHeaders = (request: IncomingMessage) => read.call(request) as IncomingHttpHeaders;
  class KnownRequest extends IncomingMessage implements NodeRequest {
    cachedFields: CachedFields | null = null;
    givenHeaders: IncomingHttpHeaders | null = null;
  }
  Object.defineProperty(KnownRequest.prototype, "headers", {
    configurable: true,
    get(this: KnownRequest): IncomingHttpHeaders {
      return (this.givenHeaders ??= cacheOf(this)?.headers(this, readHeaders) ?? readHeaders(this));
    },
    set(this: KnownRequest, headers: IncomingHttpHeaders) {
      this.givenHeaders = headers;
    },
  });
  return KnownRequest;
};

/**
 * The class of a server's responses, each a `NodeResponse`.
 *
 * Overrides `writeHead`, which `end` calls with the status alone when no head was sent; packages that observe heads rely on that call too. If a
 * release of Node dropped it, replies would lack their fields and the conformance suite would fail.
 */
export const responseClass = (): ResponseClass => {
  const { ServerResponse } = process.getBuiltinModule("node:http");
  return class<Request extends IncomingMessage> extends ServerResponse<Request> implements NodeResponse {
    impliedFields: readonly string[] | null = null;

    override writeHead(status: number, message?: string, fields?: Fields): this;
    override writeHead(status: number, fields?: Fields): this;
    override writeHead(status: number, first?: string | Fields, second?: Fields): this {
      if (typeof first === "object") return super.writeHead(status, first);
      const implied = first === undefined && second === undefined ? this.impliedFields : null;
      return implied === null
        ? super.writeHead(status, first, second)
        : super.writeHead(status, implied as string[]); // the type is mutable, but node:http only reads the list
    }
  };
};
