import { socketClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { fails, guardedApp } from "./guarded-app.test-kit.ts";

const quiet = { log: { info() {}, warn() {}, error() {} } };

/** An app whose handler at `/` waits until it is released, over one transport, and a client that may leave. */
const served = (transport: "fast" | "node") => {
  const app = guardedApp({ failureThreshold: 2, resetTimeout: 10, halfOpenTarget: 1 });
  const client = socketClient(app, { ...quiet, transport });
  const waiting: ((status: number) => void)[] = [];
  let ended = 0;
  const hold = (): void => {
    app.world.answer = async (request) => {
      request.onEnd(() => void ended++);
      const status = await new Promise<number>((resolve) => waiting.push(resolve));
      return status === 200 ? "hello" : fails(status)();
    };
  };
  /** Sends a request and leaves while the handler is at it; gives what releases the handler. */
  const leave = async (): Promise<(status: number) => void> => {
    const before = ended;
    const gone = new AbortController();
    const reply = client.get("/", { signal: gone.signal }).catch(() => null);
    await waitFor(() => waiting.length > 0);
    gone.abort();
    expect(await reply).toBeNull();
    await waitFor(() => ended > before);
    return waiting.pop() ?? (() => {});
  };
  const circuit = () => app.circuits.list()[0];
  return { app, client, hold, leave, circuit };
};

test.each(["fast", "node"] as const)(
  "a client that leaves says nothing about the handler, whatever it replies later (%s)",
  async (transport) => {
    const { app, client, hold, leave, circuit } = served(transport);
    await using _ = client;
    app.world.answer = fails();
    await client.get("/");
    expect(circuit()?.failures).toBe(1);
    hold();
    for (const status of [500, 200, 500]) {
      const release = await leave();
      await settled(() => release(status));
      expect(circuit()).toMatchObject({ state: "closed", failures: 1 });
    }
    app.world.answer = fails();
    await client.get("/");
    expect(circuit()?.state).toBe("open");
  },
);

test.each(["fast", "node"] as const)(
  "a trial whose client leaves frees its slot at once, without a verdict (%s)",
  async (transport) => {
    const { app, client, hold, leave, circuit } = served(transport);
    await using _ = client;
    app.world.answer = fails();
    for (let time = 0; time < 2; time++) await client.get("/");
    app.world.now = 10_000;
    hold();
    const release = await leave();
    app.world.answer = () => "hello";
    expect((await client.get("/")).status).toBe(200);
    expect(circuit()?.state).toBe("closed");
    await settled(() => release(500));
    expect(circuit()).toMatchObject({ state: "closed", failures: 0 });
  },
);

/** Does it, and lets what follows from it happen. */
const settled = async (act: () => void): Promise<void> => {
  act();
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
};
