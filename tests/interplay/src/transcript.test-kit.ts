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

/** Everything that clients saw, a text for each reply, so that two apps are compared quickly; of volatile fields only their presence. */
export const transcriptOf = (answered: readonly Answered[]): readonly string[] =>
  answered.map(({ row, reply, calls }) => {
    const fields = [...reply.headers].map(([name, value]) => [name, momentary.has(name) ? "" : value]);
    const body = Buffer.from(reply.bytes).toString("latin1");
    return JSON.stringify([row.name, reply.status, fields, body, calls]);
  });
