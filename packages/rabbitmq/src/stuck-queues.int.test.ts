import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { findProgram, type RabbitMqServer, startRabbitMq } from "@framework/services";
import { waitFor } from "@framework/testing";
import { LIMIT_MS } from "./faults.test-kit.ts";
import { newName, TestProcess } from "./process.test-kit.ts";

const block = findProgram("rabbitmq-server") === null ? describe.skip : describe;

/** Time limit of a send. */
const SEND_MS = 1500;

block("with a queue that confirms nothing", () => {
  let server: RabbitMqServer;
  beforeAll(async () => {
    server = await startRabbitMq();
  }, 180_000);
  afterAll(async () => {
    await server.stop();
  });

  /** Suspends or resumes a quorum queue at the server. To publishers, a suspended queue behaves like a leaderless one. */
  const queue = async (name: string, act: "suspend" | "resume"): Promise<string> =>
    await server.evaluate(`sys:${act}('%2F_${name}')`);

  test(
    "a queue that confirms nothing blocks sends to its own topic only",
    async () => {
      const [stuck, other] = [newName(), newName()];
      await using process = new TestProcess({ url: server.url }, stuck);
      await process.declare("none", [stuck, other]);
      const send = async (topic: string): Promise<boolean> =>
        (await process.send([{ topic }], AbortSignal.timeout(SEND_MS)))[0]?.ok === true;
      await queue(`${stuck}:group`, "suspend");
      expect(await send(stuck)).toBe(false);
      const more = [send(stuck)];
      const others: boolean[] = [];
      const from = performance.now();
      while (performance.now() - from < 8000) {
        others.push(await send(other));
        await pause(20);
        if (others.length % 10 === 0) more.push(send(stuck));
      }
      expect(new Set(await Promise.all(more))).toEqual(new Set([false]));
      // On a busy machine one in a hundred may time out; if sends were blocked, all would.
      const timedOut = others.filter((isSent) => !isSent).length;
      expect(others.length).toBeGreaterThan(10);
      expect(timedOut).toBeLessThanOrEqual(Math.ceil(others.length / 100));
      expect(process.lines.all.join()).not.toContain("is replaced");
      expect(process.lines.all.join()).toContain("a queue confirms nothing");
      await queue(`${stuck}:group`, "resume");
      await waitFor(() => send(stuck));
    },
    LIMIT_MS,
  );

  test(
    "delayed messages use another delay queue if one confirms nothing",
    async () => {
      await using process = new TestProcess({ url: server.url });
      await process.declare();
      const { sink } = await process.consume();
      const send = async (body: string): Promise<boolean> =>
        (await process.send([{ body, delayMs: 500 }], AbortSignal.timeout(SEND_MS)))[0]?.ok === true;
      expect(await send("before")).toBe(true);
      await waitFor(() => sink.bodies.includes("before"));
      await queue(`${process.topic}:delay:500`, "suspend");
      try {
        await waitFor(() => send("after"), { timeoutMs: 30_000 });
        await waitFor(() => sink.bodies.includes("after"));
        expect(process.lines.all.join()).toContain(`${process.topic}:delay:500`);
      } finally {
        await queue(`${process.topic}:delay:500`, "resume");
      }
    },
    LIMIT_MS,
  );
});
