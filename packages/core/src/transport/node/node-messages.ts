import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeader,
  OutgoingHttpHeaders,
  Server,
  ServerOptions,
  ServerResponse,
} from "node:http";

/** A `ServerResponse` that accepts its head as fields without framing. */
export interface NodeResponse extends ServerResponse {
  /** Fields for the implicit head of `end`, which adds `content-length` and `date`; not changed by the response. */
  impliedFields: readonly string[] | null;
}

/** A request whose `headers` are converted on first access. */
interface LateRequest extends IncomingMessage {
  /** Whether only `node:http` itself has accessed it. */
  isUnseen: boolean;
}

type RequestClass = typeof IncomingMessage;
type ResponseClass = typeof ServerResponse;
type Fields = OutgoingHttpHeader[] | OutgoingHttpHeaders;

/** The classes of a server's messages. */
export const messageClasses = (): Pick<ServerOptions, "IncomingMessage" | "ServerResponse"> => ({
  IncomingMessage: requestClass(),
  ServerResponse: responseClass(),
});

/**
 * Creates the class of a server's requests. `node:http` itself reads `content-length`, `transfer-encoding` and `expect` of each request's `headers` before it
 * emits the request, which would convert all fields, although the transport validates `rawHeaders`. So it gets only these three. Every other reader gets all
 * headers, built on first access.
 *
 * Overrides the accessor `headers`; where a release of Node has none on the prototype, requests are plain `IncomingMessage`s.
 */
const requestClass = (): RequestClass => {
  const { IncomingMessage } = process.getBuiltinModule("node:http");
  const headers = Object.getOwnPropertyDescriptor(IncomingMessage.prototype, "headers");
  const read = headers?.get;
  if (read === undefined) return IncomingMessage;
  class LazyRequest extends IncomingMessage implements LateRequest {
    isUnseen = false;
  }
  Object.defineProperty(LazyRequest.prototype, "headers", {
    ...headers,
    get(this: LazyRequest): IncomingHttpHeaders {
      return this.isUnseen ? ownHeaders(this.rawHeaders) : (read.call(this) as IncomingHttpHeaders);
    },
  });
  return LazyRequest;
};

/** Returns the three fields that `node:http` itself reads. */
const ownHeaders = (fields: readonly string[]): IncomingHttpHeaders => {
  let found: IncomingHttpHeaders | null = null;
  for (let at = 0; at < fields.length; at += 2) {
    const name = ownName(fields[at] as string);
    if (name !== null) (found ??= {})[name] = fields[at + 1];
  }
  return found ?? none;
};

const none: IncomingHttpHeaders = Object.freeze({});

/** Returns the name in lower case if it is one of the three, else `null`. The lengths exclude nearly all other names. */
const ownName = (name: string): string | null => {
  const { length } = name;
  if (length !== 6 && length !== 14 && length !== 17) return null;
  const lower = name.toLowerCase();
  return lower === "expect" || lower === "content-length" || lower === "transfer-encoding" ? lower : null;
};

/**
 * Creates the class of a server's responses, `NodeResponse`.
 *
 * Its constructor hides headers of the request until the request is emitted. It runs after all observers of `node:http` that receive a request earlier, except
 * subscribers of the channel `http.server.request.start`; while there are any, no headers are hidden.
 *
 * Overrides `writeHead`, which `end` calls with the status if no head was sent, and in Bun also with the phrase; packages that observe heads also rely on this
 * call. If a release of Node dropped the call, replies would lack their fields, and the conformance suite would fail.
 */
const responseClass = (): ResponseClass => {
  const { ServerResponse } = process.getBuiltinModule("node:http");
  const started = process.getBuiltinModule("node:diagnostics_channel").channel("http.server.request.start");
  return class<Request extends IncomingMessage> extends ServerResponse<Request> implements NodeResponse {
    impliedFields: readonly string[] | null = null;

    constructor(...parts: ConstructorParameters<typeof ServerResponse<Request>>) {
      super(...parts);
      const [request] = parts;
      if (isLate(request)) request.isUnseen = !started.hasSubscribers;
    }

    override writeHead(status: number, message?: string, fields?: Fields): this;
    override writeHead(status: number, fields?: Fields): this;
    override writeHead(status: number, first?: string | Fields, second?: Fields): this {
      if (typeof first === "object") return super.writeHead(status, first);
      const fields = second ?? (this.impliedFields as string[] | null) ?? undefined; // the type is mutable, but node:http only reads the list
      return first === undefined ? super.writeHead(status, fields) : super.writeHead(status, first, fields);
    }
  };
};

/** Makes emitted requests expose all headers, even to tools that replace the `emit` of all servers. */
export const showHeaders = (server: Server): void => {
  server.emit = (event: string, ...values: readonly unknown[]): boolean => {
    const [first] = values;
    if (isLate(first)) first.isUnseen = false;
    return (Object.getPrototypeOf(server) as Server).emit.call(server, event, ...values);
  };
};

const isLate = (value: unknown): value is LateRequest =>
  typeof value === "object" && value !== null && (value as Partial<LateRequest>).isUnseen !== undefined;
