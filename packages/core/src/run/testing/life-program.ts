import { fileURLToPath } from "node:url";
import { bundledProgram } from "@framework/bundled-sources";
import type { RunOptions } from "../settings/run-options.ts";
import { type Program, type ProgramOptions, startProgram } from "./start-program.ts";

/** Options of the program with features in every phase, as JSON in the variable LIFE. */
export interface LifeScenario {
  readonly run?: RunOptions;
  /** The first start task waits until its signal aborts, ignores the signal, or causes an uncaught error. */
  readonly start?: "waits" | "ignores" | "crashes" | undefined;
  /** The first start task waits while this file exists. */
  readonly slowIf?: string;
  readonly listening?: "fails" | "waits";
  readonly drain?: "throws" | "rejects" | "waits" | "hangs" | undefined;
  /** The last stop task never ends. */
  readonly stop?: "hangs";
}

const file = fileURLToPath(new URL("fixtures/life.ts", import.meta.url));

/** Starts the program on a free port. */
export const startLife = (scenario: LifeScenario = {}, options?: ProgramOptions): Program =>
  startProgram(bundledProgram(file), [], { LIFE: JSON.stringify(scenario) }, options);

/** The lines of features, in order. */
export const linesOf = (program: Program): string[] =>
  program
    .stderr()
    .split("\n")
    .filter((line) => PHASES.test(line));

const PHASES = /^(?:start|startup|listening|drain|drained|stop|shutdown)(?: \w+)?$/;

/** Number of times each line was written. */
export const tallyOf = (program: Program): Record<string, number> => {
  const tally: Record<string, number> = {};
  for (const line of linesOf(program)) tally[line] = (tally[line] ?? 0) + 1;
  return tally;
};

/** Waits until a line was written a number of times. */
export const waitForLines = async (program: Program, line: string, times: number): Promise<void> => {
  const end = performance.now() + 60_000;
  while ((tallyOf(program)[line] ?? 0) < times) {
    if (performance.now() > end)
      throw new Error(`"${line}" was not written ${times} times:\n${program.stderr()}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};
