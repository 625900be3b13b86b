import type { RowResult } from "./send-rows.test-kit.ts";

/** Fields whose values depend on time or randomness. */
const volatileFields: ReadonlySet<string> = new Set([
  "age",
  "cache-status",
  "date",
  "ratelimit",
  "retry-after",
  "set-cookie",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
]);

/** Returns the replies as clients received them, one string each so that comparisons are fast. Of volatile fields, only the presence counts. */
export const transcriptOf = (results: readonly RowResult[]): readonly string[] =>
  results.map(({ row, reply, calls }) => {
    const fields = [...reply.headers].map(([name, value]) => [name, volatileFields.has(name) ? "" : value]);
    const body = Buffer.from(reply.bytes).toString("latin1");
    return JSON.stringify([row.name, reply.status, fields, body, calls]);
  });
