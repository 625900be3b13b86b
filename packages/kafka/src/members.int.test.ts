import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { Ledger, newTopic, sendAll, until, untilRunning, worker } from "./faults.test-kit.ts";

/** Messages of a key: more with `FRAMEWORK_KAFKA_MESSAGES=100000`. */
const EACH = Number(process.env["FRAMEWORK_KAFKA_MESSAGES"] ?? 1000) / 20;
const KEYS = 20;
const TOTAL = KEYS * EACH;
/** Messages of a key in one send: so few that a rebalance meets many sends. */
const CHUNK = Math.max(2, EACH / 100);
const LIMIT_MS = 300_000;

withServer("kafka", (brokers) => {
  test.concurrent(
    "nothing is lost, keys keep their order and no two handlers of a key overlap, while processes come and go",
    async () => {
      const [topic, ledger] = [newTopic(), new Ledger()];
      const work = (): Promise<void> => pause(2);
      const sender = await worker(brokers, topic, {});
      let current = await worker(brokers, topic, { ledger, work });
      await untilRunning(current);
      const sent = sendAll(sender, topic, { keys: KEYS, each: EACH, chunk: CHUNK });
      for (let turn = 0; turn < 3; turn++) {
        const next = await worker(brokers, topic, { ledger, work });
        await untilRunning(next);
        await current.stop();
        current = next;
      }
      await sent;
      await until("all messages", () => ledger.count === TOTAL);
      await Promise.all([current.stop(), sender.stop()]);
      expect([ledger.disordered, ledger.overlaps]).toEqual([[], 0]);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a rolling restart with clean stops delivers nothing twice",
    async () => {
      const [topic, ledger] = [newTopic(), new Ledger()];
      const sender = await worker(brokers, topic, {});
      const first = await worker(brokers, topic, { ledger });
      await untilRunning(first);
      await sendAll(sender, topic, { keys: KEYS, each: 10 });
      await until("the messages before", () => ledger.count === KEYS * 10);
      await first.stop();
      const second = await worker(brokers, topic, { ledger });
      await untilRunning(second);
      await pause(500);
      await Promise.all([second.stop(), sender.stop()]);
      expect([...ledger.byKey.values()].flat()).toHaveLength(KEYS * 10);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a message whose process is killed between its effect and its acknowledgement is delivered again",
    async () => {
      const topic = newTopic();
      const program = new URL("./consumer.test-program.ts", import.meta.url).pathname;
      const child = spawn(
        process.execPath,
        ["--conditions=@framework/source", "--disable-warning=ExperimentalWarning", program],
        { env: { ...process.env, BROKERS: brokers, TOPIC: topic }, stdio: ["ignore", "pipe", "inherit"] },
      );
      const sender = await worker(brokers, topic, {});
      await sendAll(sender, topic, { keys: 1, each: 3 });
      const [line] = (await once(createInterface(child.stdout), "line")) as [string];
      expect(line).toBe("effect 0");
      child.kill("SIGKILL");
      await once(child, "exit");
      const ledger = new Ledger();
      const next = await worker(brokers, topic, { ledger });
      await until("all messages", () => ledger.count === 3);
      await Promise.all([next.stop(), sender.stop()]);
      expect(ledger.byKey.get("key-0")).toEqual([0, 1, 2]);
    },
    LIMIT_MS,
  );
});
