import { Queue, Worker } from "bullmq";
import type { Contender, Payload } from "./contender.ts";

/** Opens BullMQ, which removes done jobs, as its production guide recommends. */
export const bullmq = async (url: string): Promise<Contender> => {
  const { hostname: host, port } = new URL(url);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  const queue = new Queue<Payload>("bench", { connection, defaultJobOptions: { removeOnComplete: true } });
  queue.on("error", console.error);
  await queue.waitUntilReady();
  return {
    add: (payload) => queue.add("bench", payload),
    addAll: (payloads) => queue.addBulk(payloads.map((data) => ({ name: "bench", data }))),
    async work(concurrency, handle) {
      const worker = new Worker<Payload>("bench", async ({ data }) => handle(data), {
        connection,
        concurrency,
      });
      worker.on("error", console.error);
      await worker.waitUntilReady();
      return { [Symbol.asyncDispose]: () => worker.close() };
    },
    async hasUnfinished() {
      const { waiting = 0, active = 0 } = await queue.getJobCounts("waiting", "active");
      return waiting + active > 0;
    },
    async [Symbol.asyncDispose]() {
      await queue.close();
    },
  };
};
