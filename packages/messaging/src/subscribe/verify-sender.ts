import { type Awaitable, HttpError, type Invocation, type Logger, verifyGuards } from "@framework/core";
import { isPromise, mapAwaitable } from "@framework/core/feature";
import { PermanentFailure } from "../errors/messaging-error.ts";
import type { SubscriptionSpec } from "./subscription-spec.ts";

/**
 * Identifies the sender of a message, then asks the guards.
 *
 * @throws PermanentFailure for a refusal, because the message will not change; a failure to decide, which has a status from 500 on or is what a guard threw, as it is
 */
export const verifySender = (
  { auth, guards }: Pick<SubscriptionSpec, "auth" | "guards">,
  invocation: Invocation,
  log: Logger,
): Awaitable<void> => {
  try {
    const identified = auth?.identify(invocation) as Awaitable<unknown>;
    const decided = mapAwaitable(identified, () => verifyGuards(guards, invocation, { log }));
    return isPromise(decided) ? decided.catch(refused) : decided;
  } catch (error) {
    return refused(error);
  }
};

/** Code of the refusal that `verifyGuards` makes of a guard's failure: a caller of HTTP can call again, but a message would be a dead letter. */
const GUARD_FAILED = "CORE_GUARD_FAILED";

const refused = (error: unknown): never => {
  if (!HttpError.is(error) || error.status >= 500) throw error;
  if (error.code === GUARD_FAILED) throw error.cause ?? error;
  const { status, detail } = error;
  throw new PermanentFailure("MESSAGING_REJECTED", `the sender was refused (${status}): ${detail}`, error);
};
