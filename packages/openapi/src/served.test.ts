import { bundledProgram } from "@framework/bundled-sources";
import { requestEveryWorker, startProgram } from "@framework/testing";
import { expect, test } from "@jest/globals";

const main = bundledProgram(new URL("./testing/served.test-program.ts", import.meta.url));

test("every worker, and every start, serves the same document", async () => {
  const tags = new Set<string | null>();
  for (const workers of [1, 4]) {
    await using program = await startProgram(main, {
      conditions: ["@framework/source"],
      args: ["--workers", String(workers)],
      timeoutMs: 60_000,
    });
    const replies = await requestEveryWorker({
      workers,
      send: () => program.client.get("/openapi.json", { headers: { connection: "close" } }),
      pidOf: ({ headers }) => Number(headers.get("x-pid")),
    });
    for (const { headers } of replies) tags.add(headers.get("etag"));
  }
  expect([...tags]).toEqual([expect.stringMatching(/^"[0-9a-f]{32}"$/)]);
});
