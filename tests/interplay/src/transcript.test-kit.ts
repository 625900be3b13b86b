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

/** Seconds in the body of a 429, which decrease while the rows are sent. */
const volatileSeconds = /(?<=try again in |"retry_after":)\d+/g;

/** Returns the replies as clients received them, one string each so that comparisons are fast. Volatile fields are included without their values. */
export const transcriptOf = (results: readonly RowResult[]): readonly string[] =>
  results.map(({ row, reply, calls }) => {
    const isVolatile = (name: string): boolean =>
      volatileFields.has(name) || (name === "etag" && reply.status === 429); // the tag of a body with volatile seconds
    const fields = [...reply.headers].map(([name, value]) => [name, isVolatile(name) ? "" : value]);
    const body = Buffer.from(reply.bytes).toString("latin1").replace(volatileSeconds, "");
    return JSON.stringify([row.name, reply.status, fields, body, calls]);
  });
