// The modules that only a service with several processes loads.
export { runPrimary } from "./primary.ts";
export { failWorker, runWorker } from "./worker.ts";
