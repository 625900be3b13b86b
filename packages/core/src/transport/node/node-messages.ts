import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeader,
  OutgoingHttpHeaders,
  ServerResponse,
} from "node:http";
import type { HasFields, CachedFields, NodeHeadCache } from "./node-head-cache.ts";

/** A request that is told what is known of its fields. */
export interface NodeRequest extends IncomingMessage, HasFields {
  rawHeaders: string[];
}

/** A response with a short way that `ServerResponse` has not. */
export interface NodeResponse extends ServerResponse {
  /** Fields of a head that `end` makes, which adds the body's length and `Date` for less than it takes to check given ones. */
  impliedFields: readonly string[] | null;
}

type RequestClass = typeof IncomingMessage;
type ResponseClass = typeof ServerResponse;
type Fields = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * The class of a server's requests. `node:http` itself looks into `headers` of each one, so they come from the memory of the connection: an
 * object of their own for every request, though names that are repeated are not read again.
 *
 * @param cacheOf the memory of the request's connection, `undefined` when it has none
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

/** The class of a server's responses: each is a `NodeResponse`. */
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
        : super.writeHead(status, implied as string[]); // which it only reads
    }
  };
};
