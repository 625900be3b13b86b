import { FrameworkError } from "@framework/core";
import { messageOf } from "@framework/core/feature";
import { boundReply } from "./bound-reply.ts";
import { checkTarget } from "./check-target.ts";
import { ClientError } from "./client-error.ts";
import type { CheckedHttpOptions } from "./http-options.ts";
import type { OutgoingRequest, Send } from "./outgoing-request.ts";
import { headerFields } from "./header-fields.ts";
import { redirectRequest } from "./redirect.ts";

/** Returns the innermost step of a client: one attempt with its redirects, with the limits of time, size and calls. */
export const exchange = (send: Send, options: CheckedHttpOptions): Send => {
  let calls = 0;
  const own = [...headerFields(options.headers).keys(), ...options.credentialHeaders];
  return async (request) => {
    if (calls >= options.maxCalls)
      throw new ClientError("CLIENT_TOO_MANY_CALLS", `${options.maxCalls} calls are in progress`, {
        status: 503,
      });
    request.signal.throwIfAborted();
    calls++;
    const timer = new AbortController();
    const timeout = setTimeout(() => timer.abort(), options.timeoutMs);
    const toError = (error: unknown): unknown => toCallerError(error, request, timer.signal, options);
    const signal = AbortSignal.any([request.signal, timer.signal]);
    const onEnd = once(() => {
      signal.removeEventListener("abort", onEnd); // a listener on the client's own signal would retain the call
      clearTimeout(timeout);
      calls--;
    });
    signal.addEventListener("abort", onEnd); // also ends a reply whose body is never read
    try {
      const reply = await follow(send, { ...request, signal }, options, own);
      const isStream = ruleOrCancel(request, reply);
      if (isStream) clearTimeout(timeout);
      const maxReplyBytes = isStream ? request.maxStreamBytes : request.maxReplyBytes;
      return boundReply(request.method, reply, { signal, maxReplyBytes, onEnd, toError });
    } catch (error) {
      onEnd();
      throw toError(error);
    }
  };
};

/** Returns whether a reply is a stream. An error of the rule also frees the connection. */
const ruleOrCancel = ({ isStream }: OutgoingRequest, reply: Response): boolean => {
  try {
    return isStream(reply);
  } catch (error) {
    reply.body?.cancel().catch(() => {}); // the caller gets the first error
    throw error;
  }
};

const follow = async (
  send: Send,
  first: OutgoingRequest,
  options: CheckedHttpOptions,
  own: readonly string[],
): Promise<Response> => {
  let request = first;
  for (let followed = 0; ; followed++) {
    checkTarget(request.url, options);
    const reply = await send(request);
    const nextRequest = options.maxRedirects === 0 ? null : redirectRequest(request, reply, own);
    if (nextRequest === null) return reply;
    reply.body?.cancel().catch(() => {}); // the body is not needed
    if (followed === options.maxRedirects)
      throw new ClientError("CLIENT_TOO_MANY_REDIRECTS", `more than ${options.maxRedirects} redirects`);
    request = nextRequest;
  }
};

/** Codes with which undici refuses a request: a mistake of the caller, which must not count as a failure of the service. */
const unsendable: ReadonlySet<string> = new Set([
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED",
  "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
]);

/**
 * Converts an error of sockets, streams or timers to a `ClientError`. The reason of the request's signal, and errors of the framework, are returned unchanged.
 */
const toCallerError = (
  error: unknown,
  { method, url, signal }: OutgoingRequest,
  timer: AbortSignal,
  { timeoutMs, idleTimeoutMs }: CheckedHttpOptions,
): unknown => {
  const name = `${method} ${url.origin}${url.pathname}`;
  if (signal.aborted) return signal.reason;
  if (FrameworkError.is(error)) return error;
  if (timer.aborted)
    return new ClientError("CLIENT_TIMEOUT", `${name} took longer than ${timeoutMs} ms`, { status: 504 });
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code === "string" && unsendable.has(code))
    return new ClientError("CLIENT_BAD_PARAMETER", `${name} cannot be sent: ${messageOf(error)}`, {
      cause: error,
    });
  if (code === "UND_ERR_BODY_TIMEOUT")
    return new ClientError(
      "CLIENT_TIMEOUT",
      `the body of ${name} paused for longer than ${idleTimeoutMs} ms`,
      {
        status: 504,
      },
    );
  return new ClientError("CLIENT_NO_REPLY", `${name} failed: ${messageOf(error)}`, { cause: error });
};

const once = (run: () => void): (() => void) => {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    run();
  };
};
