import { BRIEF_VARIABLE, type WorkerBrief } from "./messages.ts";

/** The variable's text, once it was read. */
let text: string | undefined;

/**
 * Returns the primary's data for this process; `undefined` in every process that our primary did not fork.
 *
 * Deletes the variable, so that programs that the worker starts later do not inherit it: with it they would count as orphans of the port.
 */
export const workerBrief = (): WorkerBrief | undefined | Promise<WorkerBrief | undefined> => {
  text ??= process.env[BRIEF_VARIABLE]; // also set in a process that a worker started before its `run`
  delete process.env[BRIEF_VARIABLE];
  if (text === undefined || process.send === undefined) return undefined;
  const brief = JSON.parse(text) as WorkerBrief;
  if (process.ppid === brief.primary || !process.connected) return brief;
  return briefOfOrphan(brief);
};

/**
 * Distinguishes a worker whose primary has just exited from a process that a worker started with its own channel: in both cases the parent is not the primary.
 * The system closes the files of an exited process before its children get another parent, so in the next turn of the event loop the channel of an orphan is
 * closed.
 */
const briefOfOrphan = async (brief: WorkerBrief): Promise<WorkerBrief | undefined> => {
  for (let turn = 0; turn < 2 && process.connected; turn++) await new Promise(setImmediate);
  return process.connected ? undefined : brief;
};
