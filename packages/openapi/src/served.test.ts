import { bundledProgram } from "@framework/bundled-sources";
import { startProgram } from "@framework/testing";
import { expect, test } from "@jest/globals";

const main = bundledProgram(new URL("./testing/served.test-program.ts", import.meta.url));

const tagOf = async (url: string): Promise<string | null> => {
  const reply = await fetch(`${url}/openapi.json`, { headers: { connection: "close" } });
  await reply.arrayBuffer();
  return reply.headers.get("etag");
};

test("every worker, and every start, serves the same document", async () => {
  const tags = new Set<string | null>();
  for (const workers of ["1", "4"]) {
    await using program = await startProgram(main, {
      conditions: ["@framework/source"],
      args: ["--workers", workers],
      timeoutMs: 60_000,
    });
    const url = (await program.client.url("/")).replace(/\/$/, "");
    for (const tag of await Promise.all(Array.from({ length: 20 }, () => tagOf(url)))) tags.add(tag);
  }
  expect([...tags]).toEqual([expect.stringMatching(/^"[0-9a-f]{32}"$/)]);
});
