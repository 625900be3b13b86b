import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { connect } from "node:net";
import { bundledProgram } from "@framework/bundled-sources";
import { withServer } from "@framework/services";
import { type Program, startProgram, waitFor } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

/** The limit is reached after the first thousand: what comes later is refused. */
const CALLS = 5_000;
const CONNECTIONS = 16;
const DEPTH = 10;

const start = (url: string, prefix: string): Promise<Program> =>
  startProgram(bundledProgram(new URL("./hosts.test-program.ts", import.meta.url)), {
    args: ["--workers", "2", "--no-logs"],
    env: { REDIS_URL: url, KEY_PREFIX: prefix, FRAMEWORK_ENV: "production" },
    conditions: ["@framework/source"],
    timeoutMs: 60_000,
  });

/** Sends requests down one connection, ten at a time, and counts the statuses of the replies. */
const send = async (url: string, count: number, statuses: Map<string, number>): Promise<void> => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const burst = "GET /limited HTTP/1.1\r\nHost: limited.test\r\n\r\n".repeat(DEPTH);
  let [text, answered] = ["", 0];
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
    let end = 0;
    for (const match of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
      const status = match[1] ?? "";
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      end = match.index + match[0].length;
      if (++answered % DEPTH === 0) {
        if (answered < count) socket.write(burst);
        else socket.end();
      }
    }
    text = text.slice(Math.max(end, text.length - 13));
  });
  socket.write(burst);
  await new Promise((resolve) => socket.once("close", resolve));
};

interface Value {
  readonly version: number;
  readonly pid: number;
}

/** Sends a request on a new connection, so that the workers alternate. */
const ask = ({ url }: Program, method: string, path: string): Promise<Value & { outcome: unknown }> =>
  new Promise((resolve, reject) => {
    const asking = request(new URL(path, url), { method, agent: false }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      reply.on("end", () => resolve({ ...(JSON.parse(text) as Value), outcome: reply.headers["x-cache"] }));
    });
    asking.on("error", reject);
    asking.end();
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
    const each = CALLS / CONNECTIONS - ((CALLS / CONNECTIONS) % DEPTH);
    const calls = Array.from({ length: CONNECTIONS }, (_, index) =>
      send((index % 2 === 0 ? one : other).url, each + (index < 4 ? 20 : 0), statuses),
    );
    await Promise.all(calls);
    const total = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThanOrEqual(CALLS - 200);
    expect(Object.fromEntries(statuses)).toEqual({ 200: 1000, 429: total - 1000 });
  });

  test("a tag dropped on one host is dropped in every worker of both hosts when the call resolves", async () => {
    const many = () =>
      Promise.all(
        [one, other].flatMap((host) => Array.from({ length: 24 }, () => ask(host, "GET", "/value"))),
      );
    for (let round = 1; round <= 3; round++) {
      await waitFor(
        async () =>
          new Set((await many()).filter(({ outcome }) => outcome === "HIT").map(({ pid }) => pid)).size === 4,
        { what: "the value in all four workers" },
      );
      const { version } = await ask(round % 2 === 0 ? one : other, "POST", "/change");
      expect(version).toBe(round);
      expect(new Set((await many()).map((value) => value.version))).toEqual(new Set([round]));
    }
  });
});
