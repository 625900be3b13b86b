import type { Server } from "@grpc/grpc-js";
import { EventEmitter } from "node:events";
import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { MAX_TIMEOUT_MS, timeoutMs } from "../metadata/grpc-timeout.ts";
import type { RefusedCalls } from "./refused-calls.ts";
import type { UnaryEndpoint } from "./unary-endpoint.ts";
import { type HeadFields, type HeadRules, refusalOfHead } from "./check-head.ts";

type StreamListener = (
  stream: ServerHttp2Stream,
  head: IncomingHttpHeaders,
  flags: number,
  raw: readonly string[],
) => void;

/**
 * Checks the head of every call before grpc-js sees it, and serves the unary ones without it.
 *
 * grpc-js accepts any HTTP method and any malformed `grpc-timeout`, logs each malformed field, and lets a deadline above 24 days overflow into the past.
 */
export const guardStreams = (
  server: Server,
  rules: HeadRules,
  unary: UnaryEndpoint,
  refused: RefusedCalls,
): void => {
  const http = httpServerOf(server);
  const [serve] = http.listeners("stream") as unknown as readonly StreamListener[];
  if (serve === undefined) throw new Error("grpc-js does not listen for streams");
  http.removeAllListeners("stream");
  const guarded: StreamListener = (stream, head, flags, raw) => {
    const refusal = refusalOfHead(head as HeadFields, raw, rules);
    if (refusal !== null) {
      refused.record(stream, head as HeadFields, refusal);
      return refuse(stream, refusal);
    }
    if (unary.serve(stream, head as HeadFields)) return;
    limitTimeout(head);
    dropUnusedFields(head);
    serve(stream, head, flags, raw);
    stream.on("close", dropListeners);
  };
  http.on("stream", guarded as never); // the types of the event lack its fourth argument
};

/**
 * Node keeps a closed stream until the next full garbage collection, and with it the whole call, which its listeners refer to. Without listeners the call
 * is freed by a minor collection.
 */
function dropListeners(this: ServerHttp2Stream): void {
  this.removeAllListeners("removeListener"); // otherwise called for each removed listener
  EventEmitter.prototype.removeAllListeners.call(this);
}

/** The HTTP/2 server inside grpc-js, whose version is pinned: there is no other access to a stream before grpc-js handles it. */
const httpServerOf = (server: Server): Http2Server => {
  const { http2Servers } = server as unknown as { readonly http2Servers: ReadonlyMap<Http2Server, unknown> };
  const [http] = http2Servers.keys();
  if (http === undefined) throw new Error("grpc-js has no HTTP/2 server");
  return http;
};

const refuse = (stream: ServerHttp2Stream, fields: Readonly<Record<string, string | number>>): void => {
  stream.on("error", () => {}); // the client has disconnected
  stream.respond(fields, { endStream: true });
  stream.resume(); // else an unread body would keep the stream open
};

/** Replaces a timeout that would overflow in grpc-js. */
const limitTimeout = (head: IncomingHttpHeaders): void => {
  const timeout = head["grpc-timeout"];
  if (typeof timeout === "string" && timeoutMs(timeout) === MAX_TIMEOUT_MS)
    head["grpc-timeout"] = `${MAX_TIMEOUT_MS / 1000}S`;
};

/** Drops fields that grpc-js only copies to the metadata and removes again: in most calls, half of the fields. */
const dropUnusedFields = (head: IncomingHttpHeaders): void => {
  delete head["te"];
  delete head["accept-encoding"];
  delete head["grpc-accept-encoding"];
};
