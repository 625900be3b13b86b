import { setTimeout as pause } from "node:timers/promises";
import { databaseInFile } from "@framework/database/testing";
import { effectsDespiteKills, subscribeEffects, TestApp } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { killWarmProcesses } from "@framework/warm-processes";
import { expect, test } from "@jest/globals";
import { KEYS, LIMIT_MS, MESSAGES, newTopic } from "./faults.test-kit.ts";
import { effectsFixture } from "./killed.test-kit.ts";

const isLong = MESSAGES > 10_000;

withServer("kafka", (brokers) => {
  test(
    "with the inbox, each message takes effect once, in the order of its key, while processes join, leave and are killed",
    async () => {
      await using file = databaseInFile();
      const prefix = newTopic();
      const fixture = effectsFixture(brokers, prefix, file.url);
      let [kills, leaves] = [0, 0];
      const kill = async (isEnough: () => Promise<boolean>): Promise<void> => {
        const over = new AbortController();
        const rolling = (async () => {
          for (; !over.signal.aborted; leaves++) {
            await using app = new TestApp(fixture);
            subscribeEffects(app, "key");
            await app.start();
            await pause(isLong ? 5000 : 200);
          }
        })();
        const program = new URL("./inbox.test-program.ts", import.meta.url);
        ({ kills } = await killWarmProcesses({
          program,
          env: () => ({ BROKERS: brokers, PREFIX: prefix, DATABASE: file.url }),
          callsHasBegun: true,
          meanLifeMs: isLong ? 8000 : 200,
          workingMs: 100,
          minKills: isLong ? 10 : 2,
          concurrency: isLong ? 2 : 1,
          isEnough,
          limitMs: LIMIT_MS / 2,
          standby: 1,
        }));
        over.abort();
        await rolling;
      };
      const run = Math.max(2, MESSAGES / KEYS / 100);
      const plan = { messages: MESSAGES, keys: KEYS, together: KEYS, run, kill };
      const { effects, expected } = await effectsDespiteKills(fixture, "key", plan);
      expect(effects).toEqual(expected);
      expect(kills).toBeGreaterThanOrEqual(isLong ? 10 : 2);
      expect(leaves).toBeGreaterThan(0);
      if (isLong) console.log(JSON.stringify({ kills, leaves, effects: effects.length }));
    },
    LIMIT_MS,
  );
});
