// Above 250 lines: all tests use the same supervisor with the same fake workers.
import { expect, test } from "@jest/globals";
import type { Logger } from "../../log/logger.ts";
import { createDispatcher } from "./dispatcher.ts";
import type { ToPrimary, ToWorker } from "./messages.ts";
import type { AppReport } from "../../lifecycle/runnable.ts";
import type { StartFailure } from "../start/start-error.ts";
import { createMeanLoads } from "./mean-loads.ts";
import { Supervisor } from "./supervisor.ts";
import type { WorkerEvents, WorkerProcess } from "./worker-process.ts";

const report: AppReport = { routes: 1, features: [], warnings: [], links: [], needsReadinessDelay: false };
const failure: StartFailure = { problems: [{ code: "CORE_X", message: "cannot" }] };

class FakeWorker implements WorkerProcess {
  readonly received: string[] = [];
  readonly pid: number;
  readonly link = { send: () => {}, onMessage: () => () => {}, onClose: () => {} };
  private readonly events: WorkerEvents;
  constructor(pid: number, events: WorkerEvents) {
    this.pid = pid;
    this.events = events;
  }
  send(message: ToWorker): void {
    this.received.push(message["@framework"]);
  }
  take(): void {}
  kill(): void {
    this.received.push("kill");
  }
  emit(message: ToPrimary): void {
    this.events.message(message);
  }
  ready(): void {
    this.emit({ "@framework": "ready", report });
  }
  exit(code = 1): void {
    this.events.exited(`exit code ${code}`);
  }
}

const supervise = ({ workers = 2, maxExits = 5, retries = true, drainMs = 1000 } = {}) => {
  const forked: FakeWorker[] = [];
  const logged: string[] = [];
  const record = (message: string): void => void logged.push(message);
  const log: Logger = { info: record, warn: record, error: record };
  const calls: string[] = [];
  const served: number[] = [];
  let exits = 0;
  const supervisor = new Supervisor({
    workers,
    fork: (events) => {
      const worker = new FakeWorker(100 + forked.length, events);
      forked.push(worker);
      return worker;
    },
    dispatcher: createDispatcher(),
    meanLoads: createMeanLoads(),
    policy: {
      countExit: (_slot, servedMs) => (served.push(servedMs), 0),
      countEarlyExit: () => ++exits > maxExits,
    },
    log,
    retries,
    drainMs,
    onGiveUp: () => void calls.push("give up"),
    onClose: () => void calls.push("close"),
  });
  /** Resolves with the nth forked worker, as soon as it exists. */
  const worker = async (index: number): Promise<FakeWorker> => {
    for (const end = performance.now() + 60_000; forked[index] === undefined && performance.now() < end;) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const found = forked[index];
    if (found === undefined) throw new Error(`worker ${index} was never forked`);
    return found;
  };
  return { supervisor, forked, worker, logged, calls, served };
};

const startedSupervisor = async (options = {}) => {
  const all = supervise(options);
  const start = all.supervisor.start();
  for (const worker of all.forked) worker.ready();
  await start;
  return all;
};

test("start resolves when the last worker is ready", async () => {
  const { supervisor, forked } = supervise();
  let isStarted = false;
  const start = supervisor.start().then((it) => {
    isStarted = true;
    return it;
  });
  expect(forked).toHaveLength(2);
  forked[0]?.ready();
  await new Promise((resolve) => setImmediate(resolve));
  expect(isStarted).toBe(false);
  forked[1]?.ready();
  expect(await start).toEqual(report);
});

test("fails the start with a worker's own reason when none is ready", async () => {
  const { supervisor, forked } = supervise();
  const start = supervisor.start();
  forked[0]?.emit({ "@framework": "failed", failure });
  forked[0]?.exit();
  await expect(start).rejects.toMatchObject({ code: "CORE_X", message: "cannot" });
});

test("fails the start when workers keep exiting without a message", async () => {
  const { supervisor, worker, forked } = supervise({ workers: 1, maxExits: 2 });
  const start = supervisor.start();
  for (let index = 0; index < 3; index++) (await worker(index)).exit();
  await expect(start).rejects.toMatchObject({ code: "CORE_CRASH_LOOP" });
  expect(forked).toHaveLength(3);
});

test("replaces an exited worker", async () => {
  const { forked, worker, logged } = await startedSupervisor();
  forked[0]?.exit();
  (await worker(2)).ready();
  expect(forked).toHaveLength(3);
  expect(logged).toEqual(["a worker died and is replaced"]);
});

test("gives up when restarted workers keep exiting before they are ready, and logs why", async () => {
  const { forked, worker, calls, logged } = await startedSupervisor({ workers: 1, maxExits: 1 });
  forked[0]?.exit();
  (await worker(1)).exit();
  (await worker(2)).exit();
  expect(calls).toEqual(["give up"]);
  expect(logged.at(-1)).toBe("the service ends: its workers cannot start");
});

test("drains the old worker only when the new one is ready", async () => {
  const { supervisor, forked } = await startedSupervisor({ workers: 1 });
  supervisor.replaceAll();
  expect(forked).toHaveLength(2);
  expect(forked[0]?.received).toEqual([]);
  forked[1]?.ready();
  expect(forked[0]?.received).toEqual(["drain"]);
  forked[0]?.exit(0);
  expect(forked).toHaveLength(2);
});

test("keeps the old worker when the new one never becomes ready", async () => {
  const { supervisor, forked, logged } = await startedSupervisor({ workers: 1 });
  supervisor.replaceAll();
  forked[1]?.emit({ "@framework": "failed", failure });
  forked[1]?.exit();
  expect(forked[0]?.received).toEqual([]);
  expect(logged).toEqual(["a worker ended before it was ready", "the previous worker continues"]);
});

test("restarts the replacement when a worker is replaced again before its replacement is ready", async () => {
  const { supervisor, forked } = await startedSupervisor({ workers: 1 });
  supervisor.replaceAll();
  supervisor.replaceAll();
  expect(forked[1]?.received).toEqual(["kill"]);
  forked[1]?.exit();
  forked[2]?.ready();
  expect(forked[0]?.received).toEqual(["drain"]);
  expect(forked).toHaveLength(3);
});

test("replaces a retiring worker when the new one is ready, and a broken one at once", async () => {
  const { forked, worker } = await startedSupervisor();
  forked[0]?.emit({ "@framework": "retire" });
  expect(forked).toHaveLength(3);
  forked[2]?.ready();
  expect(forked[0]?.received).toEqual(["drain"]);
  forked[1]?.emit({ "@framework": "broken", wasDraining: false });
  (await worker(3)).ready();
  expect(forked[1]?.received).toEqual([]);
  forked[1]?.exit();
  expect(forked).toHaveLength(4);
});

test("a second request to replace a worker does not restart its replacement", async () => {
  const { forked } = await startedSupervisor({ workers: 1 });
  forked[0]?.emit({ "@framework": "retire" });
  forked[0]?.emit({ "@framework": "retire" });
  expect(forked.map(({ received }) => received)).toEqual([[], []]);
  forked[1]?.ready();
  expect(forked[0]?.received).toEqual(["drain"]);
});

test("kills a worker that hangs after an uncaught error", async () => {
  const { forked } = await startedSupervisor({ workers: 1, drainMs: 1 });
  const [broken] = forked;
  broken?.emit({ "@framework": "broken", wasDraining: false });
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    if (broken?.received.includes("kill") === true) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(broken?.received).toEqual(["kill"]);
});

test("the time that a worker has served counts for its restart, after an exit and after an uncaught error", async () => {
  const { forked, served } = await startedSupervisor();
  forked[0]?.exit();
  forked[1]?.emit({ "@framework": "broken", wasDraining: false });
  expect(served.map((ms) => ms > 0)).toEqual([true, true]);
});

test("waits for the next change when a reloaded program exits before it is ready and no worker serves", async () => {
  const { supervisor, forked, worker, logged } = await startedSupervisor({ workers: 1, retries: false });
  forked[0]?.exit();
  (await worker(1)).exit();
  expect(logged.at(-1)).toBe("waiting for a change of the source files");
  supervisor.replaceAll();
  expect(forked).toHaveLength(3);
});

test("stops when every worker has ended, without restarts, and adds up the connections that they cut", async () => {
  const { supervisor, forked } = await startedSupervisor();
  const stopped = supervisor.stop(1000);
  expect(forked.map(({ received }) => received)).toEqual([["drain"], ["drain"]]);
  forked[0]?.emit({ "@framework": "drained", cut: 2, late: false });
  for (const worker of forked) worker.exit(0);
  expect(await stopped).toEqual({ killed: 0, cut: 2, late: 0, died: 0, errors: 0 });
  expect(forked).toHaveLength(2);
});

test("counts and logs a worker that dies while it drains, also one that was replaced", async () => {
  const { supervisor, forked, logged } = await startedSupervisor();
  forked[0]?.emit({ "@framework": "retire" });
  forked[2]?.ready();
  forked[0]?.exit();
  expect(logged).toEqual(["a worker died while it drained"]);
  const stopped = supervisor.stop(1000);
  forked[1]?.emit({ "@framework": "drained", cut: 0, late: true });
  for (const worker of forked.slice(1)) worker.exit();
  expect(await stopped).toEqual({ killed: 0, cut: 0, late: 1, died: 1, errors: 0 });
  expect(logged).toEqual(["a worker died while it drained", "a worker died while it drained"]);
});

test("counts uncaught errors of workers that drain during a stop", async () => {
  const { supervisor, forked } = await startedSupervisor();
  forked[0]?.emit({ "@framework": "retire" });
  forked[2]?.ready();
  forked[0]?.emit({ "@framework": "broken", wasDraining: true }); // before the stop: already replaced
  forked[0]?.exit(0);
  const stopped = supervisor.stop(1000);
  forked[1]?.emit({ "@framework": "broken", wasDraining: false }); // before it received the stop
  forked[1]?.emit({ "@framework": "broken", wasDraining: true });
  for (const worker of forked.slice(1)) {
    worker.emit({ "@framework": "drained", cut: 0, late: false });
    worker.exit(0);
  }
  expect(await stopped).toEqual({ killed: 0, cut: 0, late: 0, died: 0, errors: 1 });
});

test("does not count connections that replaced workers cut earlier", async () => {
  const { supervisor, forked } = await startedSupervisor({ workers: 1 });
  supervisor.replaceAll();
  forked[1]?.ready();
  forked[0]?.emit({ "@framework": "drained", cut: 5, late: false });
  forked[0]?.exit();
  const stopped = supervisor.stop(1000);
  forked[1]?.exit(0);
  expect(await stopped).toEqual({ killed: 0, cut: 0, late: 0, died: 0, errors: 0 });
});

test("a stop during the start asks starting workers to roll back, and fails the start", async () => {
  const { supervisor, forked } = supervise();
  const start = supervisor.start();
  for (const worker of forked) worker.emit({ "@framework": "begun" });
  const stopped = supervisor.stop(1000);
  await expect(start).rejects.toMatchObject({ code: "CORE_START_ABANDONED" });
  expect(forked.map(({ received }) => received)).toEqual([["drain"], ["drain"]]);
  for (const worker of forked) worker.exit(0);
  expect(await stopped).toEqual({ killed: 0, cut: 0, late: 0, died: 0, errors: 0 });
});

test("a starting worker may roll back its start when a newer one replaces it", async () => {
  const { supervisor, forked } = await startedSupervisor({ workers: 1 });
  supervisor.replaceAll();
  forked[1]?.emit({ "@framework": "begun" });
  supervisor.replaceAll();
  expect(forked[1]?.received).toEqual(["drain"]);
});

test("a stop kills starting workers at once, and every other remaining worker at the deadline", async () => {
  const { supervisor, forked } = await startedSupervisor({ workers: 1 });
  supervisor.replaceAll();
  const stopped = supervisor.stop(20);
  expect(forked[1]?.received).toEqual(["kill"]);
  forked[1]?.exit();
  while (!forked[0]?.received.includes("kill")) await new Promise((resolve) => setImmediate(resolve));
  forked[0]?.exit();
  expect(await stopped).toEqual({ killed: 1, cut: 0, late: 0, died: 0, errors: 0 });
});

test("a stop waits for the drain even if all workers died and were replaced before", async () => {
  const { supervisor, forked, worker } = await startedSupervisor();
  for (const each of forked) each.exit();
  for (const index of [2, 3]) (await worker(index)).ready();
  let isStopped = false;
  const stopped = supervisor.stop(60_000).then((result) => {
    isStopped = true;
    return result;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isStopped).toBe(false);
  for (const index of [2, 3]) forked[index]?.exit(0);
  expect(await stopped).toEqual({ killed: 0, cut: 0, late: 0, died: 0, errors: 0 });
});

test("starts no replacement once readiness is 503, neither for a worker that retires nor for changed sources", async () => {
  const { supervisor, forked } = await startedSupervisor();
  supervisor.unready(1000);
  forked[0]?.emit({ "@framework": "retire" });
  supervisor.replaceAll();
  expect(forked.map(({ received }) => received)).toEqual([["unready"], ["unready"]]);
});

test("a worker that becomes ready while readiness is 503 gets the unready message", async () => {
  const { supervisor, forked, worker } = await startedSupervisor();
  supervisor.replaceAll();
  supervisor.unready(1000);
  forked[2]?.ready();
  forked[1]?.exit();
  (await worker(4)).ready();
  expect([forked[2]?.received, forked[4]?.received]).toEqual([["unready", "unready"], ["unready"]]);
  expect(forked[0]?.received).toEqual(["unready", "drain"]);
});

test("calls onClose when a worker requests the close of the service", async () => {
  const { forked, calls } = await startedSupervisor();
  forked[0]?.emit({ "@framework": "close" });
  expect(calls).toEqual(["close"]);
});
