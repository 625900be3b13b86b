import { measureStalledHandler } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { LIMIT_MS, newTopic } from "./faults.test-kit.ts";
import { kafkaBroker } from "./index.ts";

/** Number of waiting messages; a million takes some minutes. */
const WAITING = Number(process.env["FRAMEWORK_WAITING"] ?? 4000);
/** Bytes of each message; the total exceeds the limits below. */
const BYTES = WAITING > 20_000 ? 1000 : 5000;

const KIB = 1024;

withServer("kafka", (brokers) => {
  test.each([
    { what: "the smallest fetches", maxFetchBytes: 64 * KIB, maxBatchBytes: 64 * KIB, mib: [0, 3] },
    { what: "fetches of 4 MiB", maxFetchBytes: 4096 * KIB, maxBatchBytes: 64 * KIB, mib: [3.5, 12] },
    { what: "batches larger than a fetch", maxFetchBytes: 64 * KIB, maxBatchBytes: 1024 * KIB, mib: [1, 5] },
  ] as const)(
    "with a stalled handler and many waiting messages, a process holds only its prefetch and one fetch: $what",
    async ({ maxFetchBytes, maxBatchBytes, mib: [min, max] }) => {
      const config = { brokers, partitions: 1, sessionTimeoutMs: 6000, maxBatchBytes, maxFetchBytes };
      const fixture = { adapter: () => kafkaBroker(config), prefix: newTopic() };
      const { grownMib, ...held } = await measureStalledHandler(fixture, { messages: WAITING, bytes: BYTES });
      if (WAITING > 4000) console.log(`${WAITING} messages wait; ${grownMib.toFixed(1)} MiB are held`);
      expect(held).toEqual({ inFlight: 4, received: 10, waiting: WAITING });
      expect(grownMib).toBeGreaterThanOrEqual(min);
      expect(grownMib).toBeLessThan(max);
    },
    LIMIT_MS + WAITING,
  );
});
