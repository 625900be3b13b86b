import { bundledProgram } from "@framework/bundled-sources";
import type { DatabaseConfig } from "./index.ts";
import { type Program, startProgram, waitFor } from "@framework/testing";

/** A line of the service's log. */
export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly reason?: string;
  readonly waitedMs?: number;
  readonly durationMs?: number;
}

/** The service of `things.test-program.ts` in its own process. */
export interface ThingsService extends AsyncDisposable {
  readonly program: Program;
  /** Sends a request. Returns the status. */
  send(method: "GET" | "POST", path: string): Promise<number>;
  /** Number of stored rows. */
  count(): Promise<number>;
  /** Waits for the first log line that matches. */
  waitForLine(matches: (line: LogLine) => boolean): Promise<LogLine>;
  /** All lines so far. */
  lines(): LogLine[];
}

export const thingsService = async (config: Partial<DatabaseConfig>): Promise<ThingsService> => {
  const program = await startProgram(bundledProgram(new URL("./things.test-program.ts", import.meta.url)), {
    env: { DATABASE: JSON.stringify(config) },
    conditions: ["@framework/source"],
  });
  const { client } = program;
  const lines = (): LogLine[] =>
    program
      .output()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as LogLine);
  return {
    program,
    send: async (method, path) => (await client.request(method, path)).status,
    count: async () => (await client.get("/things")).json<{ count: number }>().count,
    waitForLine: (matches) => waitFor(() => lines().find(matches)),
    lines,
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
};

/** Returns whether a log line has this reason of a 503. */
export const hasReason =
  (reason: string | RegExp) =>
  (line: LogLine): boolean =>
    line.message === "the database is not available" &&
    (typeof reason === "string" ? line.reason === reason : reason.test(line.reason ?? ""));
