import { startTime, type TimedProgram } from "./start-time.ts";

/** A program by its name in tables, or its file alone. */
export type Programs = Readonly<Record<string, string | TimedProgram>>;

/** Milliseconds from the start of each program to its first line, by name. */
export type Round = Readonly<Record<string, number>>;

/** Starts the programs of a folder in turns, each round in the reverse order of the one before; a first round is not counted. */
export const startRounds = async (folder: string, programs: Programs, rounds: number): Promise<Round[]> => {
  const names = Object.keys(programs);
  await oneRound(folder, programs, names); // fills the system's file cache
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    measured.push(await oneRound(folder, programs, round % 2 === 0 ? names : names.toReversed()));
  }
  return measured;
};

const oneRound = async (folder: string, programs: Programs, names: readonly string[]): Promise<Round> => {
  const times: Record<string, number> = {};
  for (const name of names) {
    const program = programs[name] ?? "";
    times[name] = await startTime(folder, typeof program === "string" ? { file: program } : program);
  }
  return times;
};

/** How much longer one program took than another, round by round. */
export const extra = (measured: readonly Round[], name: string, base: string): number[] =>
  measured.map((times) => (times[name] ?? NaN) - (times[base] ?? NaN));
