import type { Case } from "./cases.ts";
import type { Contender } from "./contender.ts";

/** An open contender. */
export interface OpenContender {
  readonly name: string;
  readonly done: "removed" | "kept";
  readonly contender: Contender;
}

/** Values of one row by contender, one per round. */
export type Values = ReadonlyMap<string, readonly number[]>;

/** Measures a case with all contenders alternately, in reverse order each round, so that noise affects all. Returns the rows of the case. */
export const measureInRounds = async (
  { measure }: Case,
  contenders: readonly OpenContender[],
  rounds: number,
): Promise<ReadonlyMap<string, Values>> => {
  const rows = new Map<string, Map<string, number[]>>();
  for (let round = -1; round < rounds; round++) {
    for (const { name, contender } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const values = await measure(contender);
      if (round >= 0) record(rows, name, values); // the first round warms up
    }
  }
  return rows;
};

const record = (
  rows: Map<string, Map<string, number[]>>,
  name: string,
  values: Readonly<Record<string, number>>,
): void => {
  for (const [row, value] of Object.entries(values)) {
    const byContender = rows.get(row) ?? new Map<string, number[]>();
    rows.set(row, byContender.set(name, [...(byContender.get(name) ?? []), value]));
  }
};
