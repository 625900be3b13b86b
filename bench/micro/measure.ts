import { estimate, type Estimate } from "../measure/statistics.ts";

/** Several implementations of one operation, with the same inputs. */
export interface Case<Input = unknown> {
  readonly name: string;
  /** Creates `count` distinct inputs, as a server receives them. */
  readonly inputs: (count: number) => readonly Input[];
  /** The implementations by name; promises are awaited. */
  readonly implementations: Readonly<Record<string, (input: Input) => unknown>>;
}

/** Related cases, and the implementation that is the baseline. */
export interface Suite {
  readonly title: string;
  readonly reference: string;
  readonly cases: readonly Case[];
}

/** Checks that the inputs of a case have the type that its implementations take. */
export const defineCase = <Input>(definition: Case<Input>): Case => definition as unknown as Case;

/** Cost of one implementation. */
export interface Cost {
  readonly nanoseconds: Estimate;
  /** Ratio to the reference in the same round: below 1 is cheaper. */
  readonly ratio: Estimate;
}

/** Calls of a slice, which takes at most some milliseconds, so that noise affects all implementations alike. */
const CALLS = 2048;
const WARM_UP = 12;

let sink: unknown;

/** Measures nanoseconds per call over a slice of prepared inputs. */
const slice = async (
  implementation: (input: unknown) => unknown,
  inputs: readonly unknown[],
): Promise<number> => {
  const start = process.hrtime.bigint();
  for (const input of inputs) {
    const result = implementation(input);
    sink = result instanceof Promise ? await result : result;
  }
  return Number(process.hrtime.bigint() - start) / inputs.length;
};

/** Measures all implementations of all cases in rounds, each in reverse order of the previous one. */
export const measureSuite = async (
  { cases, reference }: Suite,
  rounds: number,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Cost>>> => {
  const samples = new Map<string, number[]>();
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const { name, inputs, implementations } of cases) {
      const entries = Object.entries(implementations);
      for (const [implementation, run] of round % 2 === 0 ? entries : entries.toReversed()) {
        const nanoseconds = await slice(run, inputs(CALLS));
        if (round >= 0)
          samples.set(`${name} ${implementation}`, [
            ...(samples.get(`${name} ${implementation}`) ?? []),
            nanoseconds,
          ]);
      }
    }
  }
  const samplesOf = (name: string, implementation: string): number[] =>
    samples.get(`${name} ${implementation}`) ?? [];
  const cost = (name: string, implementation: string): Cost => {
    const own = samplesOf(name, implementation);
    const referenceCosts = samplesOf(name, reference);
    return {
      nanoseconds: estimate(own),
      ratio: estimate(own.map((nanoseconds, round) => nanoseconds / (referenceCosts[round] ?? NaN))),
    };
  };
  return new Map(
    cases.map(({ name, implementations }) => [
      name,
      new Map(
        Object.keys(implementations).map((implementation) => [implementation, cost(name, implementation)]),
      ),
    ]),
  );
};

/** Measures the nanoseconds of an empty call, which every result includes. */
export const emptyCall = async (): Promise<number> => {
  const nothing = (input: unknown): unknown => input;
  const inputs = Array.from({ length: CALLS }, (_, index) => ({ index }));
  const samples: number[] = [];
  for (let round = 0; round < 50; round++) samples.push(await slice(nothing, inputs));
  return estimate(samples.slice(WARM_UP)).median + (sink === samples ? 1 : 0);
};
