import { type Key, key } from "../invocation/key.ts";
import type { Response } from "../response/response.ts";
import type { HttpRequest } from "./http-request.ts";

interface Slot {
  promise: Promise<Response> | null;
}

/** What a middleware learns about a handler that continues after its time limit. */
export interface LateReply {
  /**
   * Resolves when the handler ends, to its reply or to that of its error; the receiver reads or cancels the body. `null` unless the time limit has
   * expired.
   */
  readonly promise: Promise<Response> | null;
}

/** Set by a middleware that waits for late replies; the time limit fills it in. */
export const AwaitedReply: Key<Slot | null> = key<Slot | null>("awaited_reply", null);

/**
 * Keeps the reply of a handler after `timeoutSecs` of its route, or `TimeoutConfig.handlerSecs`, has answered 504: for a middleware that must know when
 * the handler has ended. Call it before `next`, and read the result after it.
 */
export const awaitLateReply = ({ context }: HttpRequest): LateReply => {
  const late: Slot = { promise: null };
  context.set(AwaitedReply, late);
  return late;
};
