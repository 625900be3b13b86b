import { isClusterWorker } from "../../runtime/cluster-worker.ts";
import { BRIEF_VARIABLE, type WorkerBrief } from "./messages.ts";

/** The primary's data for this process; `undefined` in every process that our primary did not fork. */
export const workerBrief = (): WorkerBrief | undefined => {
  const text = process.env[BRIEF_VARIABLE]; // a process that a worker starts inherits it
  return text !== undefined && isClusterWorker() ? (JSON.parse(text) as WorkerBrief) : undefined;
};
