import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { findProgram, type RabbitMqServer, startRabbitMq } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expectNothingLostDespite, LIMIT_MS } from "./faults.test-kit.ts";
import { newName, TestApp, TestProcess } from "./process.test-kit.ts";

const block = findProgram("rabbitmq-server") === null ? describe.skip : describe;

const SET_MEMORY_LIMIT = "vm_memory_monitor:set_vm_memory_high_watermark";
const USERS = "rabbit_auth_backend_internal";

block("with a faulty server", () => {
  let server: RabbitMqServer;
  beforeAll(async () => {
    server = await startRabbitMq();
  }, 180_000);
  afterAll(async () => {
    await server.stop();
  });

  test(
    "heartbeats detect a frozen server, and nothing is lost",
    async () => {
      await expectNothingLostDespite(server.url, async () => {
        server.pause();
        await sleep(4000); // longer than a send, and than two heartbeats
        server.resume();
      });
    },
    LIMIT_MS,
  );

  test(
    "heartbeatSecs is negotiated with the server",
    async () => {
      await using process = new TestProcess({ url: server.url, heartbeatSecs: 7 });
      await process.declare();
      const negotiated = await server.evaluate(
        "list_to_tuple(lists:usort([T || [{timeout, T}] <- rabbit_networking:connection_info_all([timeout])]))",
      );
      expect(negotiated).toBe("{7}");
    },
    LIMIT_MS,
  );

  test(
    "logs a warning about a slow acknowledgement; after the server has closed the channel, the message is redelivered",
    async () => {
      const limit = (ms: number): string =>
        `[application:set_env(rabbit, N, ${ms}) || N <- [consumer_timeout, channel_tick_interval]]`;
      await server.evaluate(limit(2000));
      const topic = newName();
      const tries: AbortSignal[] = [];
      await using one = new TestApp({ url: server.url, topics: [topic], consumerTimeoutMs: 2000 });
      one.subscribe(topic, {}, async ({ signal }) => {
        tries.push(signal);
        if (tries.length > 1) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => resolve());
        await promise;
      });
      await one.start();
      expect(one.lines.all.join()).toContain("lower timeoutMs or raise consumer_timeout");
      await one.app.messaging.send(topic, { type: "t", data: 1 });
      await waitFor(() => tries.length === 2);
      expect(tries[0]?.aborted).toBe(true);
      expect(one.lines.all.join()).toContain("deliveries have been unsettled for a long time");
      await waitFor(() => one.app.messaging.status()[0]?.state === "running");
      await server.evaluate(limit(1_800_000));
    },
    LIMIT_MS,
  );

  test(
    "an alarm blocks sends but not consumers; sends continue when the alarm ends",
    async () => {
      await using process = new TestProcess({ url: server.url });
      await process.declare();
      await process.send([{ body: "before" }]);
      await server.evaluate(`${SET_MEMORY_LIMIT}({absolute, 1000000})`);
      try {
        const inTime = await process.send([{ body: "at once" }], AbortSignal.timeout(1000)); // the server blocks at the first send
        const [blocked] = await process.send([{ body: "blocked" }], AbortSignal.timeout(500));
        expect(inTime).toMatchObject([{ ok: false, isRetryable: true }]);
        expect(blocked).toMatchObject({ ok: false, error: { code: "RABBITMQ_TIMEOUT" } });
        expect(blocked?.ok === false && blocked.error.message).toContain("blocks publishers");
        const { sink, consumer } = await process.consume();
        await waitFor(() => sink.bodies.includes("before"));
        const settlements = sink.deliveries.map((delivery) => ({ delivery, action: "done" }) as const);
        expect(await consumer.settle(settlements)).toEqual([]);
        const waiting = process.send([{ body: "after" }]);
        await server.evaluate(`${SET_MEMORY_LIMIT}(0.4)`);
        expect(await waiting).toEqual([{ ok: true }]);
        await waitFor(() => sink.bodies.includes("after"));
        expect(sink.bodies).not.toContain("blocked");
      } finally {
        await server.evaluate(`${SET_MEMORY_LIMIT}(0.4)`);
      }
    },
    LIMIT_MS,
  );

  test(
    "missing permissions are reported, and a send is refused",
    async () => {
      const [user, topic] = [newName(), newName()];
      await server.evaluate(`${USERS}:add_user(<<"${user}">>, <<"secret-of-user">>, <<"test">>)`);
      const permissions = `<<"^$">>, <<"^$">>, <<"^$">>`;
      await server.evaluate(`${USERS}:set_permissions(<<"${user}">>, <<"/">>, ${permissions}, <<"test">>)`);
      await using owner = new TestProcess({ url: server.url }, topic);
      await owner.declare();
      await using restrictedUser = new TestProcess(
        { url: server.url.replace("guest:guest", `${user}:secret-of-user`) },
        topic,
      );
      const problems = await restrictedUser.broker.topology(restrictedUser.topology(), "create");
      expect(problems.length).toBeGreaterThan(0);
      for (const problem of problems) expect(problem).toContain("grant the permission");
      expect(await restrictedUser.send([{}])).toMatchObject([
        { ok: false, error: { code: "RABBITMQ_REFUSED" } },
      ]);
      expect(JSON.stringify(problems) + restrictedUser.lines.all.join()).not.toContain("secret-of-user");
    },
    LIMIT_MS,
  );

  test(
    "a restart and a kill of the server lose no message, and each key keeps its order",
    async () => {
      const restart = async (): Promise<void> => {
        await server.shutdown();
        await server.start();
      };
      // RabbitMQ 3.10 persists the directory of quorum queues with a delay: a queue declared seconds before the kill is lost.
      const kill = async (): Promise<void> => {
        await server.kill();
        await server.start();
      };
      await expectNothingLostDespite(server.url, restart, kill);
    },
    LIMIT_MS,
  );
});
