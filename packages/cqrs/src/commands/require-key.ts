import { HttpError, type Middleware } from "@framework/core";
import { canonicalJson } from "../idempotency/canonical-json.ts";
import { badKey, isKey, keyMissing, keyRunning } from "../idempotency/key-errors.ts";
import { fingerprintOf, keyId } from "../idempotency/key-id.ts";
import type { KeyClaim } from "../idempotency/stored-results.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { CommandRun } from "./command-run.ts";

/**
 * Applies the command's rule for idempotency keys, and refuses a key that another call in this process is using. `claimKey` checks other processes.
 *
 * @param running ids of the keys in use in this process; bounded by the number of running calls
 * @param prefix prefix of the operation name in the scope of keys. @default none
 * @throws HttpError 400 (CQRS_KEY_MISSING, CQRS_BAD_KEY, or an input that is nested too deeply), 409 (CQRS_KEY_RUNNING); CQRS_BAD_INPUT; errors of `callerOf`
 */
export const requireKey = (
  running: Set<string>,
  callerOf: (run: CommandRun) => string,
  prefix = "",
): Middleware<CommandRun, Outcome> =>
  async function requireKey(run, next) {
    const { operation: command, call } = run;
    const key = call.idempotencyKey;
    if (key === null) {
      const wasEnqueued = call.item !== null; // its key was required and stored at that time
      if (command.idempotency === "required" && !wasEnqueued) throw keyMissing();
      return next(run);
    }
    if (!isKey(key)) throw badKey();
    if (command.idempotency === "none") throw keyRefused();
    const claim = claimOf(run, key, callerOf(run), prefix);
    if (running.has(claim.id)) throw keyRunning();
    running.add(claim.id);
    run.claim = claim;
    try {
      return await next(run);
    } finally {
      running.delete(claim.id);
    }
  };

const claimOf = (
  { operation: command, call }: CommandRun,
  key: string,
  caller: string,
  prefix: string,
): KeyClaim => {
  const operation = prefix + command.name;
  const fingerprint = fingerprintOf(canonicalJson(call.raw, `the input of command ${command.name}`));
  return { ...keyId({ tenant: call.tenant, caller, operation, key }), operation, fingerprint };
};

const keyRefused = (): HttpError =>
  new HttpError(400, "This operation does not accept an idempotency key", { code: "CQRS_BAD_KEY" });
