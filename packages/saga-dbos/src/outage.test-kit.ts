// Sagas of a process during an outage of the database.
import { saga, type StartResult } from "@framework/saga";
import { startProxy } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect } from "@jest/globals";
import { dbosExecutor } from "./driver/dbos-sdk.ts";
import type { DbosFixture } from "./testing/dbos-fixture.test-kit.ts";
import { type Fact, waitForStatus } from "./testing/fact.test-kit.ts";
import { openSagas } from "./testing/open-sagas.test-kit.ts";

const waits = saga("waits", 1).waitFor("news", { timeout: "1h" }).build();

/** Starts a process whose connections to the server a test can interrupt and restore. */
const fragileProcess = async ({ storage }: DbosFixture) => {
  let proxy = await startProxy(storage.server);
  const { host, port } = new URL(proxy.url);
  const url = storage.url.replace(new URL(storage.server).host, host);
  const { engine, close } = await openSagas({
    ...storage,
    url,
    server: proxy.url,
    definitions: [waits],
    leaseMs: 3000,
  });
  const isUnavailable = async (): Promise<boolean> =>
    await engine.runner.get("x").then(
      () => false,
      (error: { readonly code?: string }) => error.code === "SAGA_DBOS_UNAVAILABLE",
    );
  const outage = async (): Promise<() => Promise<void>> => {
    await proxy[Symbol.asyncDispose]();
    await waitFor(isUnavailable, { subject: "the loss of the executor id", timeoutMs: 60_000 });
    return async () => void (proxy = await startProxy(storage.server, { port: Number(port) }));
  };
  return {
    engine,
    outage,
    async [Symbol.asyncDispose]() {
      await close();
      await proxy[Symbol.asyncDispose]();
    },
  };
};

export const outageFacts = (fact: Fact): void => {
  fact("sagas continue after the database was unavailable for longer than a lease", async (fixture) => {
    await using fragile = await fragileProcess(fixture);
    const { engine, outage } = fragile;
    const { runner } = engine;
    const start = (): Promise<StartResult> => runner.start(waits, null, { key: "k" });
    // On a slow machine the process may lose its short lease before the start.
    const { id } = await waitFor(start, { subject: "the start", timeoutMs: 60_000 });
    await waitForStatus(runner, id, "waiting");
    const end = await outage();
    await expect(runner.start(waits, null, { key: "2" })).rejects.toMatchObject({ status: 503 });
    await end();
    const deliver = () => runner.deliver(waits, { key: "k", id: "m", name: "news" });
    expect(await waitFor(deliver, { subject: "the delivery", timeoutMs: 60_000 })).toBe("resumed");
    await waitForStatus(runner, id, "completed");
  });

  fact("sagas continue after an outage even if DBOS fails to shut down", async (fixture) => {
    await using fragile = await fragileProcess(fixture);
    const { engine, outage } = fragile;
    const stuck = dbosExecutor();
    if (stuck === undefined) throw new Error("DBOS is not launched");
    const destroy = stuck.destroy.bind(stuck);
    let failures = 0;
    stuck.destroy = async () => {
      failures++;
      await destroy();
      throw new Error("not everything has ended");
    };
    const end = await outage();
    await end();
    const start = (): Promise<StartResult> => engine.runner.start(waits, null, { key: "k" });
    const { id } = await waitFor(start, { subject: "the start", timeoutMs: 60_000 });
    await waitForStatus(engine.runner, id, "waiting");
    expect(failures).toBe(2);
  });

  fact("a process stops while the database is unavailable", async (fixture) => {
    await using fragile = await fragileProcess(fixture);
    const { engine, outage } = fragile;
    const end = await outage();
    await engine.stop();
    await expect(engine.runner.get("x")).rejects.toMatchObject({ code: "SAGA_DBOS_NOT_STARTED" });
    await end();
  });
};
