import { RedisUnavailableError } from "../redis-errors.ts";
import type { IoredisClient } from "./ioredis.ts";

type Result = readonly [error: Error | null, value?: unknown];

/** A member of ioredis' pipelines that its types omit. */
interface Batch {
  resolve(results: readonly Result[]): void;
}

/** Another node serves the slot. ioredis follows the redirect, unless other commands of the pipeline got different results. */
const REDIRECT = /^(MOVED|ASK)\b/;

/**
 * Replaces two kinds of errors in the results of pipelines and transactions by a `RedisUnavailableError`: those of commands that a cluster redirected and
 * ioredis did not send again, and the `EXECABORT` of a transaction after a redirect or a temporary error. None of these commands had an effect.
 */
export const explainBatches = (client: IoredisClient): void => {
  for (const name of ["pipeline", "multi"] as const) {
    const create = client[name].bind(client) as (...args: unknown[]) => Batch | Promise<unknown>;
    const createExplained = (...args: unknown[]): unknown => {
      const batch = create(...args);
      if (batch instanceof Promise) return batch; // `multi({ pipeline: false })`
      const { resolve } = batch;
      batch.resolve = (results) => resolve(explainResults(results, client.isCluster));
      return batch;
    };
    Object.assign(client, { [name]: createExplained });
  }
};

const explainResults = (results: readonly Result[], isCluster: boolean): readonly Result[] => {
  if (results.every(([error]) => error === null)) return results;
  const redirected = results.map(([error, ...value]): Result => {
    const isNotResent = isCluster && error !== null && REDIRECT.test(error.message);
    return [isNotResent ? new RedisUnavailableError(error.message, error) : error, ...value];
  });
  const cause = redirected.map(([error]) => error).find((error) => error instanceof RedisUnavailableError);
  if (cause === undefined) return results;
  return redirected.map(([error, ...value]) => [
    error?.message.startsWith("EXECABORT") ? cause : error,
    ...value,
  ]);
};
