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

/** The reply to one request on a new connection. */
export const replyAt = async (url: string, path: string): Promise<Record<string, unknown>> => {
  const reply = await fetch(url + path, { headers: { connection: "close" } });
  return (await reply.json()) as Record<string, unknown>;
};

/** The process that answers a request. */
export const pidAt = async (url: string, path = "/pid"): Promise<number> =>
  Number((await replyAt(url, path))["pid"]);

/** The processes that answer several concurrent requests: some of the workers, because the system decides which of them accepts a connection. */
export const pidsAt = async (url: string, requests: number, path = "/pid"): Promise<Set<number>> =>
  new Set(await Promise.all(Array.from({ length: requests }, () => pidAt(url, path))));

/** Sends requests on new connections until all workers have answered. Resolves with all answers. */
export const answersOfAll = async <T>(
  workers: number,
  ask: () => Promise<T>,
  pidOf: (answer: T) => unknown,
): Promise<T[]> => {
  const answers: T[] = [];
  await until(async () => {
    answers.push(...(await Promise.all(Array.from({ length: 4 * workers }, () => ask()))));
    return new Set(answers.map(pidOf)).size >= workers;
  });
  return answers;
};

/** The processes of all workers. */
export const pidsOfAll = async (url: string, workers: number, path = "/pid"): Promise<Set<number>> =>
  new Set(
    await answersOfAll(
      workers,
      () => pidAt(url, path),
      (pid) => pid,
    ),
  );

/** Waits for a condition, 60 s at most. */
export const until = async (isDone: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + 60_000;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error("the condition was not met");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};
