import { ask } from "./ask.ts";

/** The worker that wrote a reply of the books service. */
export const workerOf = (body: string): number | null => {
  const pid = /"pid":(\d+)/.exec(body)?.[1];
  return pid === undefined ? null : Number(pid);
};

/** Process ids of the workers that answer on new connections, which the primary distributes in turn. */
export const servingWorkers = async (port: number, asked = 24): Promise<Set<number>> => {
  const replies = await Promise.all(Array.from({ length: asked }, () => ask(port, "/books")));
  return new Set(replies.map((reply) => (reply as { pid: number }).pid));
};

/** Whether a process exists. */
export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no such process
  }
};
