import { randomUUID } from "node:crypto";
import { Agent, get, request } from "node:http";
import { bundledProgram } from "@framework/bundled-sources";
import { withServer } from "@framework/services";
import { requestEveryWorker, type Program, startProgram } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

/** The limit is reached after the first thousand; later calls are refused. */
const CALLS = 5_000;
/** Connections to each host. */
const CONNECTIONS = 80;

const start = (url: string, prefix: string): Promise<Program> =>
  startProgram(bundledProgram(new URL("./hosts.test-program.ts", import.meta.url)), {
    args: ["--workers", "2", "--no-logs"],
    env: { REDIS_URL: url, KEY_PREFIX: prefix, FRAMEWORK_ENV: "production" },
    conditions: ["@framework/source"],
    timeoutMs: 60_000,
  });

/** Sends requests over many connections, which workers may close gracefully, and counts the statuses of the replies. */
const send = async (url: string, count: number, statuses: Map<string, number>): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const sendOne = (): Promise<void> =>
    new Promise((resolve, reject) => {
      get(new URL("/limited", url), { agent }, (reply) => {
        const status = `${reply.statusCode}`;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        reply.resume().on("error", reject).on("end", resolve);
      }).on("error", reject);
    });
  await Promise.all(Array.from({ length: count }, sendOne));
  agent.destroy();
};

interface Value {
  readonly version: number;
  readonly pid: number;
}

/** Sends a request on a new connection, so that any worker may reply. */
const fetchValue = ({ url }: Program, method: string, path: string): Promise<Value & { outcome: unknown }> =>
  new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, url), { method, agent: false }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      reply.on("end", () => resolve({ ...(JSON.parse(text) as Value), outcome: reply.headers["x-cache"] }));
    });
    outgoing.on("error", reject);
    outgoing.end();
  });

withServer("redis", (url) => {
  let one: Program;
  let other: Program;
  beforeAll(async () => {
    const prefix = `hosts-${randomUUID()}:`;
    [one, other] = await Promise.all([start(url, prefix), start(url, prefix)]);
  });
  afterAll(() => Promise.all([one.stop(), other.stop()]));

  test(`two hosts with two workers each admit exactly the limit of 1,000, out of ${CALLS} calls`, async () => {
    const statuses = new Map<string, number>();
    await Promise.all([one, other].map((host) => send(host.url, CALLS / 2, statuses)));
    expect(Object.fromEntries(statuses)).toEqual({ 200: 1000, 429: CALLS - 1000 });
  });

  test("a tag dropped on one host is dropped in every worker of both hosts when the call resolves", async () => {
    const versions = async (): Promise<ReadonlySet<number>> => {
      const replies = [one, other].map((host) =>
        requestEveryWorker({
          workers: 2,
          send: () => fetchValue(host, "GET", "/value"),
          pidOf: ({ pid }) => pid,
        }),
      );
      return new Set((await Promise.all(replies)).flat().map(({ version }) => version));
    };
    const fill = (host: Program) =>
      requestEveryWorker({
        workers: 2,
        send: () => fetchValue(host, "GET", "/value"),
        pidOf: ({ outcome, pid }) => (outcome === "HIT" ? pid : NaN),
      });
    for (let round = 1; round <= 3; round++) {
      await Promise.all([fill(one), fill(other)]);
      const { version } = await fetchValue(round % 2 === 0 ? one : other, "POST", "/change");
      expect(version).toBe(round);
      expect(await versions()).toEqual(new Set([round]));
    }
  });
});
