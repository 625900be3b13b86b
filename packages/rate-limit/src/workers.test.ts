import { connect } from "node:net";
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

/** Replies of one connection by status, and the processes that admitted requests. */
interface Seen {
  readonly statuses: Map<string, number>;
  readonly pids: Set<number>;
}

/** Sends requests sequentially on one connection, until the last reply or the end of the connection. */
const send = async (url: string, client: string, count: number, { statuses, pids }: Seen): Promise<void> => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const request = `GET / HTTP/1.1\r\nHost: limited.test\r\nX-Client: ${client}\r\n\r\n`;
  let [text, answered] = ["", 0];
  socket.on("error", () => {}); // the worker was killed
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    const parts = text.split(/(?=HTTP\/1\.1 \d{3} )/);
    const isWhole = (part: string) =>
      Number(/content-length: (\d+)/i.exec(part)?.[1]) === part.split("\r\n\r\n")[1]?.length;
    text = isWhole(parts.at(-1) ?? "") ? "" : (parts.pop() ?? "");
    for (const part of parts) {
      const status = part.slice(9, 12);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const pid = /pid (\d+)/.exec(part)?.[1];
      if (pid !== undefined) pids.add(Number(pid));
      if (++answered < count) socket.write(request);
      else socket.end();
    }
  });
  socket.write(request);
  await new Promise((resolve) => socket.once("close", resolve));
};

const seen = (): Seen => ({ statuses: new Map(), pids: new Set() });

test("four workers admit exactly the limit of 1,000, out of 2,400 requests over 16 connections", async () => {
  const { statuses, pids } = seen();
  await Promise.all(Array.from({ length: 16 }, () => send(program.url, "one", 150, { statuses, pids })));
  expect(Object.fromEntries(statuses)).toEqual({ 200: 1000, 429: 1400 });
  expect(pids.size).toBeGreaterThan(1);
});

test("killing a worker never admits more than the limit", async () => {
  const { statuses, pids } = seen();
  const load = Promise.all(
    Array.from({ length: 16 }, () => send(program.url, "two", 250, { statuses, pids })),
  );
  const victim = await waitFor(() => (statuses.get("200") ?? 0) > 300 && [...pids][0], { intervalMs: 1 });
  process.kill(victim, "SIGKILL");
  await load;
  await Promise.all(Array.from({ length: 16 }, () => send(program.url, "two", 100, { statuses, pids })));
  const admitted = statuses.get("200") ?? 0;
  expect(admitted).toBeLessThanOrEqual(1000);
  expect(admitted).toBeGreaterThan(1000 - 4 * 63 - 16); // the leases of the killed worker, and its lost replies
  expect([...statuses.keys()].toSorted()).toEqual(["200", "429"]);
});
