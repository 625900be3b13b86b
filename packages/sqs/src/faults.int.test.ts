import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { databaseInFile } from "@framework/database/testing";
import { effectsDespiteKills, expectNothingLost } from "@framework/messaging/testing";
import { type FragileServer, startProxy, startSqs } from "@framework/services";
import { waitFor } from "@framework/testing";
import { killWarmProcesses } from "@framework/warm-processes";
import { sqsBroker } from "./index.ts";
import { effectsFixture } from "./killed.test-kit.ts";
import { credentials, LIMIT_MS, MESSAGES, newName, sends } from "./process.test-kit.ts";

/** Timeout of a request; a send has twice the time. Longer with many messages, which keep the server busy. */
const REQUEST_MS = MESSAGES > 10_000 ? 5000 : 500;
/** Visibility timeout, longer than a request. */
const VISIBLE_SECS = Math.max(3, (2 * REQUEST_MS) / 1000);

/** Asserts that nothing is lost, and keys keep their order, despite a fault of SQS or the network. */
const expectNothingLostDespite = async (endpointUrl: string, fault: () => Promise<void>): Promise<void> => {
  const config = {
    endpointUrl,
    credentials,
    visibilityTimeoutSecs: VISIBLE_SECS,
    requestTimeoutMs: REQUEST_MS,
    waitTimeSecs: 5,
  };
  const plan = { ...sends, messages: MESSAGES, sendTimeoutMs: 2 * REQUEST_MS, limitMs: LIMIT_MS };
  await expectNothingLost({ adapter: () => sqsBroker(config), prefix: newName() }, plan, fault);
};

let server: FragileServer;
beforeAll(async () => {
  server = await startSqs({ durable: true });
}, 180_000);
afterAll(async () => {
  await server.stop();
});

test(
  "a killed and restarted server loses no message, and each key keeps its order",
  async () => {
    await expectNothingLostDespite(server.url, async () => {
      await server.kill();
      await server.start();
    });
  },
  LIMIT_MS,
);

test(
  "requests to a frozen server time out, and nothing is lost",
  async () => {
    await expectNothingLostDespite(server.url, async () => {
      server.pause();
      await sleep(3 * REQUEST_MS); // longer than a send
      server.resume();
    });
  },
  LIMIT_MS,
);

test(
  "repeatedly cut connections lose no message",
  async () => {
    await using proxy = await startProxy(server.url);
    await expectNothingLostDespite(proxy.url, async () => {
      for (let cuts = 0; cuts < 5; cuts++) {
        const before = proxy.accepted;
        proxy.drop();
        await waitFor(() => proxy.accepted >= before + 2);
      }
    });
  },
  LIMIT_MS,
);

test(
  "requests on a silent network time out, and nothing is lost",
  async () => {
    await using proxy = await startProxy(server.url);
    await expectNothingLostDespite(proxy.url, async () => {
      proxy.mode = "silent";
      await sleep(3 * REQUEST_MS);
      proxy.mode = "pass";
      proxy.drop();
    });
  },
  LIMIT_MS,
);

test(
  "with the inbox, killed processes lose no message, and each takes effect once, in the order of its key",
  async () => {
    await using file = databaseInFile();
    const prefix = newName();
    let kills = 0;
    const kill = async (isEnough: () => Promise<boolean>): Promise<void> => {
      ({ kills } = await killWarmProcesses({
        program: new URL("./inbox.test-program.ts", import.meta.url),
        env: () => ({ ENDPOINT: server.url, PREFIX: prefix, DATABASE: file.url }),
        callsHasBegun: true,
        meanLifeMs: MESSAGES > 10_000 ? 2000 : 40,
        workingMs: 120,
        minKills: 3,
        isEnough,
        limitMs: LIMIT_MS / 2,
        standby: 1,
      }));
    };
    const fixture = effectsFixture(server.url, prefix, file.url);
    const plan = { messages: Math.max(200, MESSAGES), ...sends, kill };
    const { effects, expected } = await effectsDespiteKills(fixture, "key", plan);
    expect(effects).toEqual(expected);
    expect(kills).toBeGreaterThanOrEqual(3);
    if (MESSAGES > 10_000) console.log(JSON.stringify({ kills, effects: effects.length }));
  },
  LIMIT_MS,
);
