// Shared by the queue tests: a gate for handlers, and workers.
import { waitFor } from "@framework/testing";
import type { test as jestTest } from "@jest/globals";
import { Processes } from "../processes.test-kit.ts";
import type { OwnKernel, QueueOptions, WorkItem, WorkQueue } from "../feature.ts";
import type { TestDatabase } from "../testing/open-databases.test-kit.ts";

/** A handler that waits for the test. */
export class Gate {
  readonly items: WorkItem<string>[] = [];
  private readonly opened = new Map<string, (error?: Error) => void>();

  handle = (item: WorkItem<string>): Promise<string> => {
    this.items.push(item);
    return new Promise((resolve, reject) => {
      this.opened.set(item.payload, (error) =>
        error === undefined ? resolve(`did ${item.payload}`) : reject(error),
      );
    });
  };

  get payloads(): string[] {
    return this.items.map(({ payload }) => payload);
  }

  item(payload: string): WorkItem<string> {
    const item = this.items.findLast((each) => each.payload === payload);
    if (item === undefined) throw new Error(`${payload} has not begun`);
    return item;
  }

  open(payload: string, error?: Error): void {
    this.opened.get(payload)?.(error);
  }

  async waitUntilBegun(...payloads: readonly string[]): Promise<void> {
    await waitFor(() => payloads.every((payload) => this.payloads.includes(payload)), {
      subject: `the start of ${payloads.join(", ")}`,
    });
  }
}

/** A process with a queue. */
export interface Worker {
  readonly kernel: OwnKernel;
  readonly queue: WorkQueue<string>;
}

type Options = Partial<QueueOptions<string>> & Pick<QueueOptions<string>, "handle">;

/** Starts a process that works on the queue. */
export const startWorker = (
  processes: Processes,
  options: Options,
  kernelOptions: Parameters<Processes["create"]>[0] = {},
): Promise<Worker> => startOn(processes.create(kernelOptions), options);

/** Starts a process that hangs once it has begun an item. */
export const startHangingWorker = (processes: Processes, options: Options): Promise<Worker> =>
  startOn(processes.createHanging(), options);

const startOn = async (kernel: OwnKernel, options: Options): Promise<Worker> => {
  const queue = kernel.queue<string>({ name: "mail", retry: { jitter: 0 }, ...options });
  await kernel.start();
  return { kernel, queue };
};

export const add = async (queue: WorkQueue<string>, payload: string, parts: object = {}): Promise<string> => {
  const [added] = await queue.enqueue({ payload, ...parts });
  if (added === undefined) throw new Error("nothing was added");
  return added.id;
};

export const waitForState = async (queue: WorkQueue<string>, id: string, state: string): Promise<void> =>
  void (await waitFor(async () => (await queue.get(id))?.state === state, {
    subject: `${id} to be ${state}`,
  }));

export const waitUntilRemoved = async (queue: WorkQueue<string>, id: string): Promise<void> =>
  void (await waitFor(async () => (await queue.get(id)) === null, { subject: `${id} to be gone` }));

/** Default lease of an item, in milliseconds. */
export const LEASE_MS = 15_000;

/** Declares one test, which gets the processes on a separate database. */
export type Fact = (name: string, run: (processes: Processes) => Promise<void>) => void;

/** Returns a function that declares tests, each on its own database. */
export const factsOn =
  (test: typeof jestTest, make: () => Promise<TestDatabase>): Fact =>
  (name, run) =>
    test(name, async () => {
      await using database = await make();
      const processes = await Processes.on(database);
      try {
        await run(processes);
      } finally {
        for (const kernel of processes.kernels) {
          await kernel.drain(AbortSignal.abort()); // some handlers never return, and some clocks are stopped
          await kernel.stop();
        }
      }
    });
