import type { Middleware } from "@framework/core";
import type { StoredResult, StoredResults } from "../idempotency/stored-results.ts";
import { noTypes, type Outcome, type Success } from "../pipeline/outcome.ts";
import type { CommandAttempt } from "./command-run.ts";

/** Locks the idempotency key for the transaction, returns the stored result if there is one, and otherwise stores the new result with the changes. */
export const claimKey = (results: StoredResults): Middleware<CommandAttempt, Outcome> =>
  async function claimKey(attempt, next) {
    const { run, tx } = attempt;
    const { claim } = run;
    if (claim === null) return next(attempt);
    const stored = await results.claim(tx, claim);
    const isOwn = run.wasCommitted || run.unknown !== null;
    run.unknown = null; // earlier attempts have ended: the lookup has found their result, if any
    if (stored !== null) {
      run.wasCommitted = isOwn;
      return toSuccess(stored, !isOwn);
    }
    const outcome = await next(attempt);
    if (outcome.ok) await results.save(tx, claim, toStored(outcome));
    return outcome;
  };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const toStored = ({ json = null, position }: Success): StoredResult => {
  const headers = position === null ? {} : { position };
  return { status: 200, headers, body: json === null ? null : encoder.encode(json) };
};

const toSuccess = ({ headers, body }: StoredResult, isReplay: boolean): Success => ({
  ok: true,
  value: body === null ? undefined : (JSON.parse(decoder.decode(body)) as unknown),
  position: headers["position"] ?? null,
  types: noTypes,
  isReplay,
});
