import { measureStartTime, type TimedProgram } from "./start-time.ts";

/** Programs or their files, by their name in tables. */
export type Programs = Readonly<Record<string, string | TimedProgram>>;

/** Milliseconds from the start of each program to its first line, by name. */
export type Round = Readonly<Record<string, number>>;

/** Starts the programs of a folder one after another, each round in reverse order of the previous one; the first round is not counted. */
export const measureRounds = async (folder: string, programs: Programs, rounds: number): Promise<Round[]> => {
  const names = Object.keys(programs);
  await measureRound(folder, programs, names); // fills the file system cache
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    measured.push(await measureRound(folder, programs, round % 2 === 0 ? names : names.toReversed()));
  }
  return measured;
};

const measureRound = async (folder: string, programs: Programs, names: readonly string[]): Promise<Round> => {
  const times: Record<string, number> = {};
  for (const name of names) {
    const program = programs[name] ?? "";
    times[name] = await measureStartTime(folder, typeof program === "string" ? { file: program } : program);
  }
  return times;
};

/** Returns how much longer one program took than another in each round. */
export const extraMs = (measured: readonly Round[], name: string, base: string): number[] =>
  measured.map((times) => (times[name] ?? NaN) - (times[base] ?? NaN));
