import type { Server } from "@grpc/grpc-js";
import { EventEmitter } from "node:events";
import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { MAX_TIMEOUT_MS, timeoutMs } from "../metadata/grpc-timeout.ts";
import type { RefusedCalls } from "./refused-calls.ts";
import type { UnaryEndpoint } from "./unary-endpoint.ts";
import {
  type HeaderFields,
  type HeaderRules,
  type HeadersOnlyReply,
  refusalOfHeaders,
} from "./check-headers.ts";
import type { UnreadStreams } from "./unread-streams.ts";

type StreamListener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  raw: readonly string[],
) => void;

/**
 * Checks the request headers of every call before grpc-js gets it, and serves uncompressed unary calls without grpc-js.
 *
 * grpc-js accepts any HTTP method and any malformed `grpc-timeout`, logs each malformed field, and turns a deadline above 24 days into a past one by overflow.
 */
export const guardStreams = (
  server: Server,
  rules: HeaderRules,
  unary: UnaryEndpoint,
  refused: RefusedCalls,
  unread: UnreadStreams,
): void => {
  const http = httpServerOf(server);
  const [serve] = http.listeners("stream") as unknown as readonly StreamListener[];
  if (serve === undefined) throw new Error("grpc-js does not listen for streams");
  http.removeAllListeners("stream");
  const checkAndServe: StreamListener = (stream, headers, flags, raw) => {
    const refusal = refusalOfHeaders(headers as HeaderFields, raw, rules);
    if (refusal !== null) {
      refused.record(stream, headers as HeaderFields, refusal);
      return refuse(stream, refusal, unread);
    }
    if (unary.serve(stream, headers as HeaderFields)) return;
    limitTimeout(headers);
    dropUnusedFields(headers);
    serve(stream, headers, flags, raw);
    stream.on("close", dropListeners);
  };
  http.on("stream", checkAndServe as never); // the types of the event lack its fourth argument
};

/**
 * Removes all listeners of a closed stream. Node retains the stream until the next full garbage collection, and its listeners retain the whole call. Without
 * listeners a minor collection frees the call.
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

const refuse = (stream: ServerHttp2Stream, fields: HeadersOnlyReply, unread: UnreadStreams): void => {
  stream.on("error", () => {}); // the client has disconnected
  unread.add(stream); // its client may never end the body
  stream.on("close", () => unread.delete(stream));
  stream.respond(fields, { endStream: true });
  stream.resume(); // an unread body would keep the stream open
};

/** Replaces a timeout that would overflow in grpc-js. */
const limitTimeout = (headers: IncomingHttpHeaders): void => {
  const timeout = headers["grpc-timeout"];
  if (typeof timeout === "string" && timeoutMs(timeout) === MAX_TIMEOUT_MS)
    headers["grpc-timeout"] = `${MAX_TIMEOUT_MS / 1000}S`;
};

/** Drops fields that grpc-js would only copy to the metadata and remove again; they are half of the fields of most calls. */
const dropUnusedFields = (headers: IncomingHttpHeaders): void => {
  delete headers["te"];
  delete headers["accept-encoding"];
  delete headers["grpc-accept-encoding"];
};
