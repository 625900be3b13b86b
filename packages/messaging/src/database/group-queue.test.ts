import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Injections } from "@framework/core";
import type { Kernel, QueueOptions, WorkQueue } from "@framework/durable/feature";
import { expect, test } from "@jest/globals";
import { GroupQueue } from "./group-queue.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

test("waits for room do not leak memory", async () => {
  let admit: QueueOptions<unknown>["admission"];
  const kernel: Pick<Kernel, "queue"> = {
    queue<T, I extends Injections | undefined = undefined>(options: QueueOptions<T, I>) {
      admit = options.admission;
      return {} as WorkQueue<T>; // only its admission is used
    },
  };
  const queue = new GroupQueue(kernel as Kernel, "topic", "group");
  queue.join({ room: 0, whenRoom: () => Promise.resolve(), deliver() {} });
  const heapAfter = async (waits: number): Promise<number> => {
    for (let n = 0; n < waits; n++) await admit?.(1);
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await heapAfter(2000);
  const grown = (await heapAfter(20_000)) - before;
  expect(admit).toBeDefined();
  expect(grown).toBeLessThan(1_500_000);
});
