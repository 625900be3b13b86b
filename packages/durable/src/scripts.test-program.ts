// Uses SQLite without `run`, so that only the kernel keeps the process running: for delayed items, and for their replay.
import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { database, openDatabase } from "@framework/database";
import { createKernel, type Kernel, kernelOf, type WorkQueue } from "./feature.ts";
import { durable, type DurableMethods } from "./index.ts";

interface Working {
  readonly queue: WorkQueue<number>;
}

const url = process.argv[2] ?? "";
const addFailingQueue = (kernel: Kernel): WorkQueue<number> =>
  kernel.queue<number>({
    name: "numbers",
    retry: { attempts: 1 },
    handle(item) {
      console.log(`item ${item.payload}`);
      throw new Error("broken");
    },
  });

const working: Feature<Working, DurableMethods> = {
  name: "working",
  install(_host, needs) {
    const queue = addFailingQueue(kernelOf(needs).use("working"));
    return {
      get queue() {
        return queue;
      },
    };
  },
};

const log = { info() {}, warn() {}, error() {} };
const app = new (App.with(database, durable, working))()
  .enableDatabase({ url })
  .enableDurable({ pollMaxMs: 100 });
await app.start({ log });
await app.queue.enqueue([1, 2, 3].map((payload) => ({ payload, delayMs: 300 })));
const { parked } = app.durable;
/** Polls until three items are parked, one poll at a time, because a poll that is running when the app stops would fail. */
const pollUntilParked = (): void =>
  void setTimeout(async () => {
    if ((await parked.count()) < 3) return pollUntilParked();
    await replay();
  }, 20).unref();

/** Replays the three items as a script would, with a kernel that is not started. */
const replay = async (): Promise<void> => {
  const { items } = await parked.list();
  await app.stop();
  const db = openDatabase({ url });
  const kernel = createKernel(db);
  addFailingQueue(kernel);
  console.log(JSON.stringify(await kernel.parked.replay(items.map(({ id }) => id))));
  await db.close();
};
pollUntilParked();
