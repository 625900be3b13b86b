import cluster, { type Address } from "node:cluster";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announce } from "../serving.ts";

/** Workers of each server. */
export const WORKERS = 4;

/** Runs a server in `node:cluster` workers, and announces it when all of them listen. @param serve starts the listener of a worker */
export const runWorkers = async (serve: () => unknown, inPrimary?: () => void): Promise<void> => {
  await serveProcessMetrics();
  if (!cluster.isPrimary) {
    await serve();
    return;
  }
  inPrimary?.();
  let listening = 0;
  cluster.on("listening", (_worker, { port, addressType }: Address) => {
    if (addressType === 4 && ++listening === WORKERS) announce(port);
  });
  for (let index = 0; index < WORKERS; index++) cluster.fork();
};
