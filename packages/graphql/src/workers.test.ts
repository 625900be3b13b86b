import { once } from "node:events";
import { bundledProgram } from "@framework/bundled-sources";
import { requestEveryWorker, startProgram, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { WebSocket } from "ws";

test("three workers serve queries and subscriptions, and SIGTERM closes the connections with code 1001", async () => {
  const args = ["--workers", "3"];
  const file = bundledProgram(new URL("./workers.test-program.ts", import.meta.url));
  await using program = await startProgram(file, { args, conditions: ["@framework/source"] });
  const endpoint = new URL("/graphql", program.url);
  const query = async (): Promise<number> => {
    const headers = { "content-type": "application/json", connection: "close" };
    const reply = await fetch(endpoint, { method: "POST", headers, body: '{"query":"{ pid }"}' });
    return ((await reply.json()) as { data: { pid: number } }).data.pid;
  };
  const pids = new Set(await requestEveryWorker({ workers: 3, send: query, pidOf: (pid) => pid }));
  expect(pids.size).toBe(3);

  const seen: unknown[] = [];
  const subscribe = async (): Promise<number> => {
    const client = new WebSocket(endpoint.href.replace("http", "ws"), "graphql-transport-ws");
    client.on("message", (data: Buffer) => {
      const { type, payload } = JSON.parse(data.toString()) as {
        type: string;
        payload?: { data: { pids: number } };
      };
      if (type === "next") seen.push(payload?.data.pids);
    });
    await once(client, "open");
    client.send('{"type":"connection_init"}');
    client.send('{"type":"subscribe","id":"1","payload":{"query":"subscription { pids }"}}');
    const [code] = (await once(client, "close")) as [number];
    return code;
  };
  const ends: Promise<number>[] = [];
  await waitFor(() => {
    if (seen.length < ends.length) return false;
    if (new Set(seen).size === 3) return true;
    ends.push(...Array.from({ length: 12 }, subscribe));
    return false;
  });
  const exit = program.stop();
  expect(new Set(await Promise.all(ends))).toEqual(new Set([1001]));
  expect((await exit).code).toBe(0);
});
