import { fileURLToPath } from "node:url";
import { bundledProgram } from "@framework/bundled-sources";
import type { Scenario } from "./scenario.ts";
import { type Program, type ProgramOptions, startProgram } from "./start-program.ts";

const file = fileURLToPath(new URL("fixtures/service.ts", import.meta.url));

/** Starts the service program on a free port. */
export const startService = (
  scenario: Scenario = {},
  args: readonly string[] = [],
  options: ProgramOptions = {},
): Program => startProgram(bundledProgram(file), args, { SCENARIO: JSON.stringify(scenario) }, options);

/** Sends a request on a new connection. Resolves with the JSON of the reply. */
export const replyAt = async (url: string, path: string): Promise<Record<string, unknown>> => {
  const reply = await fetch(url + path, { headers: { connection: "close" } });
  return (await reply.json()) as Record<string, unknown>;
};

/** Resolves with the id of the process that serves a request. */
export const pidAt = async (url: string, path = "/pid"): Promise<number> =>
  Number((await replyAt(url, path))["pid"]);

/**
 * Resolves with the ids of the processes that serve several concurrent requests: some of the workers, because the system decides which worker accepts a
 * connection.
 */
export const pidsAt = async (url: string, requests: number, path = "/pid"): Promise<Set<number>> =>
  new Set(await Promise.all(Array.from({ length: requests }, () => pidAt(url, path))));

/** Sends requests on new connections until all workers have replied. Resolves with all replies. */
export const repliesOfAll = async <T>(
  workers: number,
  send: () => Promise<T>,
  pidOf: (reply: T) => unknown,
): Promise<T[]> => {
  const replies: T[] = [];
  await until(async () => {
    replies.push(...(await Promise.all(Array.from({ length: 4 * workers }, () => send()))));
    return new Set(replies.map(pidOf)).size >= workers;
  });
  return replies;
};

/** Resolves with the process ids of all workers. */
export const pidsOfAll = async (url: string, workers: number, path = "/pid"): Promise<Set<number>> =>
  new Set(
    await repliesOfAll(
      workers,
      () => pidAt(url, path),
      (pid) => pid,
    ),
  );

/** Waits for a condition, at most 60 s. */
export const until = async (isDone: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + 60_000;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error("the condition was not met");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};
