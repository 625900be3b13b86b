import { openDatabase } from "@framework/database";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, jest, test } from "@jest/globals";
import { createKernel, type Lane } from "../feature.ts";
import { sqliteFile } from "../testing/open-databases.test-kit.ts";

const ended = ({ signal }: Lane): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

test("a stop ends even if parts of the kernel wait for the database forever, and the log names them", async () => {
  await using file = await sqliteFile();
  const db = openDatabase({ url: file.url, connectionTimeoutSecs: 600 });
  const clock = virtualClock();
  const errors: string[] = [];
  const error = (message: string): void => void errors.push(message);
  const kernel = createKernel(db, { clock, log: { info() {}, warn() {}, error } });
  const lanes = kernel.lanes({ kind: "held", count: 1, run: ended });
  await kernel.start();
  await waitFor(() => lanes.held().length === 1, { subject: "the lane" });
  const begun = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  const blocking = db.transaction(async (tx) => {
    await tx.execute("CREATE TABLE blocking (id INTEGER)");
    begun.resolve();
    await finished.promise;
  });
  await begun.promise;
  try {
    let hasStopped = false;
    void kernel.stop().then(() => (hasStopped = true));
    await waitFor(
      async () => {
        await clock.advance(1000);
        return hasStopped;
      },
      { subject: "the end of the stop" },
    );
  } finally {
    finished.resolve();
    await blocking;
    await db.close();
  }
  expect(errors).toEqual([
    "durable: the drain of lanes timed out; the shutdown continues without it",
    "durable: the stop of framework_leases timed out; the shutdown continues without it",
    "durable: the stop of the register of owners timed out; the shutdown continues without it",
  ]);
});

test("a stop ends although a part fails and the logger throws", async () => {
  await using file = await sqliteFile();
  const db = openDatabase({ url: file.url });
  const printed = jest.spyOn(console, "error").mockImplementation(() => {});
  const error = (): never => {
    throw new Error("the logger is broken");
  };
  const kernel = createKernel(db, { log: { info() {}, warn() {}, error } });
  const lanes = kernel.lanes({ kind: "held", count: 1, run: ended });
  await kernel.start();
  await waitFor(() => lanes.held().length === 1, { subject: "the lane" });
  await db.close();
  await kernel.stop();
  expect(printed).toHaveBeenCalledWith(expect.stringContaining("the logger failed (the logger is broken)"));
  printed.mockRestore();
});

test("a kernel that is stopped during its start begins no work", async () => {
  await using file = await sqliteFile();
  const db = openDatabase({ url: file.url });
  const kernel = createKernel(db, { log: { info() {}, warn() {}, error() {} } });
  const lanes = kernel.lanes({ kind: "held", count: 1, run: ended });
  kernel.queue({ name: "work", handle: () => {} });
  const starting = kernel.start();
  await kernel.stop();
  await starting;
  const owners = await db.query`SELECT id FROM framework_owners`;
  await db.close();
  expect({ owners, held: lanes.held() }).toEqual({ owners: [], held: [] });
});

test("a start that failed can be repeated, and begins the remaining work", async () => {
  await using file = await sqliteFile();
  const db = openDatabase({ url: file.url });
  const kernel = createKernel(db, { log: { info() {}, warn() {}, error() {} } });
  const lanes = kernel.lanes({ kind: "held", count: 1, run: ended });
  const handled: string[] = [];
  const queue = kernel.queue<string>({ name: "work", handle: ({ payload }) => void handled.push(payload) });
  await kernel.migrate();
  await db.execute("ALTER TABLE framework_leases RENAME TO hidden_leases");
  await expect(kernel.start()).rejects.toThrow("framework_leases");
  await db.execute("ALTER TABLE hidden_leases RENAME TO framework_leases");
  await kernel.start();
  await queue.enqueue({ payload: "a" });
  await waitFor(() => handled.length === 1 && lanes.held().length === 1, { subject: "the work" });
  await kernel.stop();
  await db.close();
  expect([handled, lanes.held()]).toEqual([["a"], []]);
});
