import { estimate, type Estimate } from "../measure/statistics.ts";

/** Several implementations of one operation, with the same inputs. */
export interface Case<Input = unknown> {
  readonly name: string;
  /** Makes as many inputs as asked, each one an object or string of its own, as a server gets them. */
  readonly inputs: (count: number) => readonly Input[];
  /** The ways by name; what a promise is given for is waited for. */
  readonly ways: Readonly<Record<string, (input: Input) => unknown>>;
}

/** Cases that belong together, and the way that all others are compared with. */
export interface Suite {
  readonly title: string;
  readonly reference: string;
  readonly cases: readonly Case[];
}

/** Keeps the type of the inputs between a case's parts; the suite need not know it. */
export const defineCase = <Input>(definition: Case<Input>): Case => definition as unknown as Case;

/** Cost of one implementation. */
export interface Cost {
  readonly nanoseconds: Estimate;
  /** To the reference in the same round: below 1 is cheaper. */
  readonly ratio: Estimate;
}

/** Calls of a slice: some milliseconds at most, so that noise affects all alike. */
const CALLS = 2048;
const WARM_UP = 12;

let sink: unknown;

/** Nanoseconds for one call, over a slice of inputs made before. */
const slice = async (way: (input: unknown) => unknown, inputs: readonly unknown[]): Promise<number> => {
  const start = process.hrtime.bigint();
  for (const input of inputs) {
    const result = way(input);
    sink = result instanceof Promise ? await result : result;
  }
  return Number(process.hrtime.bigint() - start) / inputs.length;
};

/** Measures all ways of all cases in rounds; each round reverses the order of the one before. */
export const measureSuite = async (
  { cases, reference }: Suite,
  rounds: number,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Cost>>> => {
  const samples = new Map<string, number[]>();
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const { name, inputs, ways } of cases) {
      const entries = Object.entries(ways);
      for (const [way, run] of round % 2 === 0 ? entries : entries.toReversed()) {
        const nanoseconds = await slice(run, inputs(CALLS));
        if (round >= 0)
          samples.set(`${name} ${way}`, [...(samples.get(`${name} ${way}`) ?? []), nanoseconds]);
      }
    }
  }
  const taken = (name: string, way: string): number[] => samples.get(`${name} ${way}`) ?? [];
  const cost = (name: string, way: string): Cost => {
    const own = taken(name, way);
    const theirs = taken(name, reference);
    return {
      nanoseconds: estimate(own),
      ratio: estimate(own.map((nanoseconds, round) => nanoseconds / (theirs[round] ?? NaN))),
    };
  };
  return new Map(
    cases.map(({ name, ways }) => [name, new Map(Object.keys(ways).map((way) => [way, cost(name, way)]))]),
  );
};

/** Nanoseconds of an empty call, included in every result. */
export const emptyCall = async (): Promise<number> => {
  const nothing = (input: unknown): unknown => input;
  const inputs = Array.from({ length: CALLS }, (_, index) => ({ index }));
  const samples: number[] = [];
  for (let round = 0; round < 50; round++) samples.push(await slice(nothing, inputs));
  return estimate(samples.slice(WARM_UP)).median + (sink === samples ? 1 : 0);
};
