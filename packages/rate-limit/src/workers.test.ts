import { Agent, get } from "node:http";
import { text } from "node:stream/consumers";
import { bundledProgram } from "@framework/bundled-sources";
import { type Program, startProgram, waitFor } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

let program: Program;
beforeAll(async () => {
  program = await startProgram(bundledProgram(new URL("./limited.test-program.ts", import.meta.url)), {
    args: ["--workers", "4", "--no-logs"],
    conditions: ["@framework/source"],
    timeoutMs: 60_000,
  });
});
afterAll(() => program.stop());

/** Number of replies by status, and the processes that admitted requests. */
interface Results {
  readonly statuses: Map<string, number>;
  readonly pids: Set<number>;
}

/** Sends one request. Its connection stays with one worker until the worker is killed or closes it to balance connections. */
const sendOne = (agent: Agent, client: string, { statuses, pids }: Results): Promise<void> =>
  new Promise((resolve) => {
    const options = { agent, headers: { "x-client": client } };
    get(program.url, options, async (reply) => {
      const pid = /pid (\d+)/.exec(await text(reply))?.[1];
      statuses.set(`${reply.statusCode}`, (statuses.get(`${reply.statusCode}`) ?? 0) + 1);
      if (pid !== undefined) pids.add(Number(pid));
      resolve();
    }).on("error", () => resolve()); // the worker was killed
  });

/** Sends requests over 16 connections. */
const send = async (client: string, count: number, into: Results): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  await Promise.all(Array.from({ length: count }, () => sendOne(agent, client, into)));
  agent.destroy();
};

const noResults = (): Results => ({ statuses: new Map(), pids: new Set() });

test("four workers admit exactly the limit of 1,000, out of 2,400 requests over 16 connections", async () => {
  const { statuses, pids } = noResults();
  await send("one", 2400, { statuses, pids });
  expect(Object.fromEntries(statuses)).toEqual({ 200: 1000, 429: 1400 });
  expect(pids.size).toBeGreaterThan(1);
});

test("killing a worker never admits more than the limit", async () => {
  const { statuses, pids } = noResults();
  const load = send("two", 4000, { statuses, pids });
  const victim = await waitFor(() => (statuses.get("200") ?? 0) > 300 && [...pids][0], { intervalMs: 1 });
  process.kill(victim, "SIGKILL");
  await load;
  await send("two", 1600, { statuses, pids });
  const admitted = statuses.get("200") ?? 0;
  expect(admitted).toBeLessThanOrEqual(1000);
  expect(admitted).toBeGreaterThan(1000 - 4 * 63 - 16); // the leases of the killed worker, and its lost replies
  expect([...statuses.keys()].toSorted()).toEqual(["200", "429"]);
});
