import { type Awaitable, HttpError, type Invocation, type Logger, verifyGuards } from "@framework/core";
import { isPromise, mapAwaitable } from "@framework/core/feature";
import { PermanentFailure } from "../errors/messaging-error.ts";
import type { SubscriptionSpec } from "./subscription-spec.ts";

/**
 * Identifies the sender of a message, then runs the guards.
 *
 * @throws PermanentFailure MESSAGING_REJECTED if the sender is rejected, because the message will not change; the original error if the check itself fails: with a
 * status of 500 or above, or thrown by a guard
 */
export const verifySender = (
  { auth, guards }: Pick<SubscriptionSpec, "auth" | "guards">,
  invocation: Invocation,
  log: Logger,
): Awaitable<void> => {
  try {
    const identified = auth?.identify(invocation) as Awaitable<unknown>;
    const decided = mapAwaitable(identified, () => verifyGuards(guards, invocation, { log }));
    return isPromise(decided) ? decided.catch(throwRefusal) : decided;
  } catch (error) {
    return throwRefusal(error);
  }
};

/** Code of a rejection by `verifyGuards` because a guard threw. The guard's error is thrown instead, so that the message is retried, not rejected. */
const GUARD_FAILED = "CORE_GUARD_FAILED";

const throwRefusal = (error: unknown): never => {
  if (!HttpError.is(error) || error.status >= 500) throw error;
  if (error.code === GUARD_FAILED) throw error.cause ?? error;
  const { status, detail } = error;
  throw new PermanentFailure("MESSAGING_REJECTED", `the sender was rejected (${status}): ${detail}`, error);
};
