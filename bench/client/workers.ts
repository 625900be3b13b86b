import { fetchJson } from "./fetch-json.ts";

/** Returns the process id of the worker that sent a reply of the books service. */
export const workerOf = (body: string): number | null => {
  const pid = /"pid":(\d+)/.exec(body)?.[1];
  return pid === undefined ? null : Number(pid);
};

/** Returns the process ids of the workers that serve new connections, which the primary distributes among them. */
export const servingWorkers = async (port: number, requests = 24): Promise<Set<number>> => {
  const replies = await Promise.all(Array.from({ length: requests }, () => fetchJson(port, "/books")));
  return new Set(replies.map((reply) => (reply as { pid: number }).pid));
};

/** Returns whether a process exists. */
export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no such process
  }
};
