import { type Handler, mapAwaitable } from "../middleware/middleware.ts";
import { hasBuiltin, type NodeBuiltins, nodeBuiltin } from "../runtime/node-builtins.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import type { ExchangeEnd } from "../exchange/request-source.ts";

/** What `framework.request.start` publishes: the request has its route, and nothing has run yet. */
export interface RequestStarted {
  readonly request: HttpRequest;
}

/** What `framework.request.end` publishes: the reply is out, or the connection is lost. */
export interface RequestEnded {
  readonly request: HttpRequest;
  /** Status of the reply, `null` when the client left before there was one. */
  readonly status: number | null;
  readonly end: ExchangeEnd;
}

/** What `framework.request.error` publishes: something was thrown that becomes a 500, before it does. */
export interface RequestFailed {
  readonly request: HttpRequest;
  readonly error: Error;
}

type Answer = Handler<HttpRequest, Response>;

/** Tells tools that watch an app of its requests, over channels of `node:diagnostics_channel`; while nobody listens it builds nothing. */
export interface Tracing {
  /** Answers a request, in the contexts that are bound to the channel of starts. */
  answer(handle: Answer, request: HttpRequest): ReturnType<Answer>;
  failed(request: HttpRequest, error: Error): void;
}

/** The channels of this process; none on a runtime without them. */
export const createTracing = (): Tracing => {
  const channels = openChannels();
  if (channels === null) return { answer: (handle, request) => handle(request), failed: () => {} };
  const { start, end, error } = channels;
  const answerWatched: Tracing["answer"] = (handle, request) => {
    let status: number | null = null;
    const note = (reply: Response): Response => {
      ({ status } = reply);
      return reply;
    };
    request.onEnd((how) => end.publish({ request, status, end: how } satisfies RequestEnded));
    const reply = start.runStores({ request } satisfies RequestStarted, () => handle(request));
    return mapAwaitable(reply, note);
  };
  return {
    answer: (handle, request) =>
      start.hasSubscribers || end.hasSubscribers ? answerWatched(handle, request) : handle(request),
    failed: (request, failure) => {
      if (error.hasSubscribers) error.publish({ request, error: failure } satisfies RequestFailed);
    },
  };
};

type Channel = ReturnType<NodeBuiltins["node:diagnostics_channel"]["channel"]>;

interface Channels {
  readonly start: Channel;
  readonly end: Channel;
  readonly error: Channel;
}

const openChannels = (): Channels | null => {
  if (!hasBuiltin("node:diagnostics_channel")) return null;
  const { channel } = nodeBuiltin("node:diagnostics_channel");
  return {
    start: channel("framework.request.start"),
    end: channel("framework.request.end"),
    error: channel("framework.request.error"),
  };
};
