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
 * grpc-js takes any method of HTTP and any part of `grpc-timeout`, logs each malformed field, and lets a deadline after 24 days overflow to one that has passed.
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
 * Node keeps a closed stream until the next full garbage collection, and with it all that its listeners refer to: the whole call. Without them the call
 * dies young.
 */
function dropListeners(this: ServerHttp2Stream): void {
  this.removeAllListeners("removeListener"); // it would be called for each
  EventEmitter.prototype.removeAllListeners.call(this);
}

/** The server of HTTP/2 within that of grpc-js, whose exact version is a dependency: there is no other way to what arrives before a call. */
const httpServerOf = (server: Server): Http2Server => {
  const { http2Servers } = server as unknown as { readonly http2Servers: ReadonlyMap<Http2Server, unknown> };
  const [http] = http2Servers.keys();
  if (http === undefined) throw new Error("grpc-js has no server of HTTP/2");
  return http;
};

const refuse = (stream: ServerHttp2Stream, fields: Readonly<Record<string, string | number>>): void => {
  stream.on("error", () => {}); // the client is gone, and with it the stream
  stream.respond(fields, { endStream: true });
  stream.resume(); // else an unread body would keep the stream open
};

/** Replaces a deadline that grpc-js cannot count. */
const limitTimeout = (head: IncomingHttpHeaders): void => {
  const timeout = head["grpc-timeout"];
  if (typeof timeout === "string" && timeoutMs(timeout) === MAX_TIMEOUT_MS)
    head["grpc-timeout"] = `${MAX_TIMEOUT_MS / 1000}S`;
};

/** Drops fields that grpc-js checks, copies to the metadata and removes from it again, unread: for most calls they are half of the fields. */
const dropUnusedFields = (head: IncomingHttpHeaders): void => {
  delete head["te"];
  delete head["accept-encoding"];
  delete head["grpc-accept-encoding"];
};
