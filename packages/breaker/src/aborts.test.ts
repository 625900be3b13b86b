import { socketClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { fails, guardedApp } from "./guarded-app.test-kit.ts";

const quiet = { log: { info() {}, warn() {}, error() {} } };

/** Serves an app whose handler at `/` waits until released, for a client that may disconnect. */
const serveApp = (transport: "fast" | "node") => {
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
  /** Sends a request and disconnects while the handler runs. Returns a function that releases the handler. */
  const disconnect = async (): Promise<(status: number) => void> => {
    const before = ended;
    const controller = new AbortController();
    const reply = client.get("/", { signal: controller.signal }).catch(() => null);
    await waitFor(() => waiting.length > 0);
    controller.abort();
    expect(await reply).toBeNull();
    await waitFor(() => ended > before);
    return waiting.pop() ?? (() => {});
  };
  const circuit = () => app.circuits.list()[0];
  return { app, client, hold, disconnect, circuit };
};

test.each(["fast", "node"] as const)(
  "a request of a disconnected client does not count, whatever its reply (%s)",
  async (transport) => {
    const { app, client, hold, disconnect, circuit } = serveApp(transport);
    await using _ = client;
    app.world.answer = fails();
    await client.get("/");
    expect(circuit()?.failures).toBe(1);
    hold();
    for (const status of [500, 200, 500]) {
      const release = await disconnect();
      await runAndSettle(() => release(status));
      expect(circuit()).toMatchObject({ state: "closed", failures: 1 });
    }
    app.world.answer = fails();
    await client.get("/");
    expect(circuit()?.state).toBe("open");
  },
);

test.each(["fast", "node"] as const)(
  "a trial whose client disconnects frees its slot at once and does not count (%s)",
  async (transport) => {
    const { app, client, hold, disconnect, circuit } = serveApp(transport);
    await using _ = client;
    app.world.answer = fails();
    for (let time = 0; time < 2; time++) await client.get("/");
    await app.clock.advance(10_000);
    hold();
    const release = await disconnect();
    app.world.answer = () => "hello";
    expect((await client.get("/")).status).toBe(200);
    expect(circuit()?.state).toBe("closed");
    await runAndSettle(() => release(500));
    expect(circuit()).toMatchObject({ state: "closed", failures: 0 });
  },
);

/** Runs an action and waits for its effects. */
const runAndSettle = async (act: () => void): Promise<void> => {
  act();
  for (let round = 0; round < 5; round++) await new Promise(setImmediate);
};
