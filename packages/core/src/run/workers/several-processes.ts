// What only a service of several processes loads, in one piece.
export { runPrimary } from "./primary.ts";
export { failWorker, runWorker } from "./worker.ts";
