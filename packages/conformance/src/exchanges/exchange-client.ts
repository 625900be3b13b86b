import { EventEmitter } from "node:events";
import { Agent, request as httpRequest } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { Agent as SecureAgent, request as httpsRequest } from "node:https";
import type { Readable, Writable } from "node:stream";

/** A request as a client of any protocol sends it. */
export interface ClientRequest {
  /** @default "GET" */
  readonly method?: string;
  /** @default "/" */
  readonly path?: string;
  /** Values by lower-case name. */
  readonly fields?: Readonly<Record<string, string | string[]>>;
  /** The whole body, sent with its length. @default none */
  readonly body?: string | Uint8Array;
}

/** Opens a request; with `bodiless`, one without a body. */
type OpenExchange = (request?: ClientRequest, bodiless?: boolean) => OpenRequest;

/** The head of a reply. */
export interface ClientReply {
  readonly status: number;
  /** Header fields by lower-case name; `set-cookie` is a list. */
  readonly fields: Readonly<Record<string, string | string[] | undefined>>;
  /** Reads the body as Latin-1. @throws if it is incomplete */
  text(): Promise<string>;
  /** The body's chunks. */
  readonly body: Readable;
}

/** A request in progress. */
export interface OpenRequest {
  /** The reply's head; rejects if there is no reply. */
  readonly reply: Promise<ClientReply>;
  /** Statuses of interim replies so far. */
  readonly interim: readonly number[];
  /** The request's body; ends the request with `end`. */
  readonly body: Writable;
  /** Aborts the exchange. */
  cancel(): void;
}

/** A client connection of any protocol. */
export interface ExchangeClient {
  /** Sends a request with a complete body. */
  send(request?: ClientRequest): Promise<ClientReply>;
  /** Sends a request whose body stays open. */
  open(request?: ClientRequest): OpenRequest;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
  destroy(): void;
}

/** Connects to a port of 127.0.0.1, over TLS with `ca`. */
export type ConnectExchangeClient = (port: number, ca?: string) => ExchangeClient;

/** Opens one connection over HTTP/1.1. */
export const overHttp1: ConnectExchangeClient = (port, ca) => {
  const agentOptions = { keepAlive: true, maxSockets: 1 };
  const agent = ca === undefined ? new Agent(agentOptions) : new SecureAgent(agentOptions);
  const closed = Promise.withResolvers<void>();
  const sockets = new Set<EventEmitter>();
  const open: OpenExchange = ({ method = "GET", path = "/", fields = {}, body } = {}, bodiless = false) => {
    const interim: number[] = [];
    const options = {
      port,
      host: "127.0.0.1",
      method,
      path,
      headers: { host: "a", ...fields, ...lengthField(body) },
    };
    const request =
      ca === undefined
        ? httpRequest({ ...options, agent })
        : httpsRequest({ ...options, ca, servername: "localhost", agent });
    const reply = new Promise<ClientReply>((resolve, reject) => {
      request.on("information", ({ statusCode }) => interim.push(statusCode));
      request.on("error", reject);
      request.on("response", (received) => {
        received.on("error", () => {});
        resolve(toReply(received.statusCode ?? 0, received.headers, received));
      });
    });
    reply.catch(() => {});
    request.on("socket", (socket) => {
      if (sockets.has(socket)) return;
      sockets.add(socket);
      socket.on("close", () => closed.resolve());
      socket.on("error", () => {});
    });
    if (!bodiless) request.flushHeaders();
    if (body !== undefined) request.end(body);
    return { reply, interim, body: request, cancel: () => void request.destroy() };
  };
  return toClient(open, closed.promise, () => agent.destroy());
};

/** Opens one connection over HTTP/2. */
export const overHttp2: ConnectExchangeClient = (port, ca) => {
  const url = ca === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  const session = connectHttp2(url, ca === undefined ? {} : { ca, host: "127.0.0.1" });
  const closed = new Promise<void>((resolve) => void session.on("close", resolve));
  session.on("error", () => {});
  const open: OpenExchange = ({ method = "GET", path = "/", fields = {}, body } = {}, bodiless = false) => {
    const interim: number[] = [];
    const head = { ":method": method, ":path": path, ":authority": "a", ...fields, ...lengthField(body) };
    const aborter = new AbortController(); // `close` would end the body as if it were complete
    const stream = session.request(head, { endStream: bodiless, signal: aborter.signal });
    const reply = new Promise<ClientReply>((resolve, reject) => {
      stream.on("headers", (fields) => interim.push(Number(fields[":status"])));
      stream.on("response", (fields) => resolve(toReply(Number(fields[":status"]), fields, stream)));
      stream.on("error", reject);
      stream.on("close", () => reject(new Error("closed without a reply")));
    });
    reply.catch(() => {});
    if (body !== undefined) stream.end(body);
    return { reply, interim, body: stream, cancel: () => aborter.abort() };
  };
  return toClient(open, closed, () => session.destroy());
};

const lengthField = (body: ClientRequest["body"]): Record<string, string> =>
  body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };

const toClient = (open: OpenExchange, closed: Promise<void>, destroy: () => void): ExchangeClient => ({
  send: (request = {}) => {
    const bodiless = request.body === undefined;
    const { reply, body } = open(request, bodiless);
    if (bodiless) body.end();
    return reply;
  },
  open: (request) => open(request),
  closed,
  destroy,
});

const toReply = (status: number, fields: ClientReply["fields"], body: Readable): ClientReply => ({
  status,
  fields,
  body,
  text: async () => {
    const text = await readText(body);
    if ("aborted" in body && body.aborted === true) throw new Error("the reply is incomplete");
    if ("rstCode" in body && body.rstCode !== 0) throw new Error("the reply is incomplete");
    return text;
  },
});

/** Reads a body to its end. Iterating would fail for a stream of `node:http2` that is closed while its last bytes are still buffered. */
const readText = (body: Readable): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = "";
    const closed = (): void => reject(new Error("the reply was closed before its end"));
    if (body.readableEnded) return resolve(text);
    if (body.destroyed) return closed();
    body.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    body.on("end", () => resolve(text));
    body.on("error", reject);
    body.on("close", closed);
    body.resume();
  });
