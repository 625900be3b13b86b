import { randomUUID } from "node:crypto";
import { openDatabase } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { createKernel, type OwnKernel } from "@framework/durable/feature";
import { databaseBroker } from "../database/database-broker.ts";
import type { BrokerAdapter } from "../port/broker-adapter.ts";
import type { BrokerFixture } from "./harness/broker-fixture.ts";

const quiet = { info() {}, warn() {}, error() {} };

/** Creates a fixture on a database that fixtures share. Each adapter has its own kernel, like another process. */
export const databaseFixture = ({ url }: Pick<TestDatabase, "url">): BrokerFixture => {
  const kernels: {
    readonly kernel: OwnKernel;
    readonly started: Promise<void>;
    readonly close: () => Promise<void>;
  }[] = [];
  const adapter = (): BrokerAdapter => {
    const db = openDatabase({ url, connectionTimeoutSecs: 30, poolSize: 2 });
    const kernel = createKernel(db, { config: { pollMinMs: 5, pollMaxMs: 50 }, log: quiet });
    const inner = databaseBroker(kernel);
    const started = kernel.start();
    kernels.push({ kernel, started, close: () => db.close() });
    return { ...inner, open: (context) => onceStarted(inner.open(context), started) };
  };
  return {
    adapter,
    prefix: randomUUID().slice(0, 8),
    databaseUrl: url,
    async close() {
      for (const { kernel, started, close } of kernels) {
        await started;
        await kernel.stop();
        await close();
      }
    },
  };
};

/** Wraps the broker of a starting kernel to wait for it: an app starts its kernel before its brokers. */
const onceStarted = (
  broker: ReturnType<BrokerAdapter["open"]>,
  started: Promise<void>,
): ReturnType<BrokerAdapter["open"]> => ({
  ...broker,
  producer: {
    sendIn: async (tx, messages) => await broker.producer.sendIn?.(tx, messages),
    async send(messages, options) {
      await started;
      return await broker.producer.send(messages, options);
    },
  },
  async topology(spec, mode) {
    await started;
    return await broker.topology(spec, mode);
  },
  async health(signal) {
    await started;
    return await broker.health(signal);
  },
});
