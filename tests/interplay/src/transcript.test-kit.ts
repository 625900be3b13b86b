import type { Answered } from "./ask.test-kit.ts";

/** Fields whose values depend on time or chance. */
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

/** Everything that clients saw, in a form that can be compared between two apps; of volatile fields only their presence. */
export const transcriptOf = (answered: readonly Answered[]): readonly unknown[] =>
  answered.map(({ row, reply, calls }) => {
    const fields = [...reply.headers].map(([name, value]) => [name, momentary.has(name) ? "" : value]);
    return [row.name, reply.status, fields, Buffer.from(reply.bytes).toString("latin1"), calls];
  });
