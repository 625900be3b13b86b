import { type Key, key } from "../invocation/key.ts";
import type { Response } from "../response/response.ts";
import type { HttpRequest } from "./http-request.ts";

interface Slot {
  promise: Promise<Response> | null;
  readonly readsBody: boolean;
  /** The slot of an outer middleware. */
  readonly outer: Slot | null;
}

/** The late reply of a handler that continues after its time limit. */
export interface LateReply {
  /** Resolves when the handler ends, to its reply or the reply to its error. `null` unless the time limit has expired. */
  readonly promise: Promise<Response> | null;
}

/** Set by middleware that waits for late replies; the time limit fills it in. */
export const AwaitedReply: Key<Slot | null> = key<Slot | null>("awaited_reply", null);

/**
 * Requests the reply of a handler that exceeds its time limit (`timeoutSecs` of the route or `TimeoutConfig.handlerSecs`), after which the client gets a 504 or
 * 408. For middleware that must know when the handler has ended. Call it before `next`, and read the result after `next`. Every middleware of a request that
 * calls it gets the same reply.
 *
 * @param options.readsBody whether the middleware reads or cancels the body; unless one of them does, a streamed body is cancelled. @default true
 */
export const awaitLateReply = (
  { context }: HttpRequest,
  { readsBody = true }: { readonly readsBody?: boolean } = {},
): LateReply => {
  const late: Slot = { promise: null, readsBody, outer: context.get(AwaitedReply) };
  context.set(AwaitedReply, late);
  return late;
};

/** Passes a late reply to every middleware that waits for it. Returns whether one of them reads its body. */
export const deliverLateReply = (innermost: Slot, promise: Promise<Response>): boolean => {
  let isBodyRead = false;
  for (let slot: Slot | null = innermost; slot !== null; slot = slot.outer) {
    slot.promise = promise;
    isBodyRead ||= slot.readsBody;
  }
  return isBodyRead;
};
