import type { Answered } from "./ask.test-kit.ts";

/** Fields whose values depend on the moment, or on chance. */
const momentary: ReadonlySet<string> = new Set([
  "age",
  "cache-status",
  "date",
  "ratelimit",
  "retry-after",
  "set-cookie",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
]);

/** All that clients saw, in a form that two apps can be compared in; of momentary fields only that they are there. */
export const transcriptOf = (answered: readonly Answered[]): readonly unknown[] =>
  answered.map(({ row, reply, calls }) => {
    const fields = [...reply.headers].map(([name, value]) => [name, momentary.has(name) ? "" : value]);
    return [row.name, reply.status, fields, Buffer.from(reply.bytes).toString("latin1"), calls];
  });
