import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { virtualClock } from "./virtual-clock.ts";

/** A timer and its actions when it fires. */
interface Plan {
  readonly delayMs: number;
  readonly repeats: boolean;
  /** Timers that this one sets each time it fires. */
  readonly sets: readonly Plan[];
  /** Index of the timer that this one clears each time it fires. */
  readonly clears: number | undefined;
}

type Step = { readonly set: Plan } | { readonly clear: number } | { readonly advance: number };

const { plan } = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.record({
    delayMs: fc.integer({ min: 1, max: 12 }),
    repeats: fc.boolean(),
    sets: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constant([]),
      fc.array(tie("plan"), { maxLength: 2 }),
    ),
    clears: fc.option(fc.nat(8), { nil: undefined }),
  }),
}));

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ set: plan }),
  fc.record({ clear: fc.nat(8) }),
  fc.record({ advance: fc.integer({ min: 0, max: 15 }) }),
);

/** Maximum number of timers per run: plans that set plans would grow without bound. */
const MAX_TIMERS = 60;

/** Fired timers with their times. */
type Log = [timer: number, at: number][];

const onClock = async (steps: readonly Step[]): Promise<Log> => {
  const clock = virtualClock();
  const log: Log = [];
  const timers: (() => void)[] = [];
  const clear = (index: number): void => {
    timers[index]?.();
  };
  const set = ({ delayMs, repeats, sets, clears }: Plan): void => {
    const number = timers.length;
    if (number >= MAX_TIMERS) return;
    const fire = (): void => {
      log.push([number, clock.now()]);
      sets.forEach(set);
      if (clears !== undefined) clear(clears);
    };
    timers.push(repeats ? clock.every(delayMs, fire) : clock.after(delayMs, fire));
  };
  for (const one of steps) {
    if ("set" in one) set(one.set);
    else if ("clear" in one) clear(one.clear);
    else await clock.advance(one.advance);
  }
  return log;
};

/** A naive model: checks every millisecond, with a list in order of registration. */
const onModel = (steps: readonly Step[]): Log => {
  const log: Log = [];
  let now = 0;
  let count = 0;
  let list: { number: number; due: number; plan: Plan }[] = [];
  const cleared = new Set<number>();
  const clear = (number: number): void => {
    if (number < count) cleared.add(number);
  };
  const set = (it: Plan): void => {
    if (count < MAX_TIMERS) list.push({ number: count++, due: now + it.delayMs, plan: it });
  };
  const fire = (number: number, it: Plan): void => {
    log.push([number, now]);
    it.sets.forEach(set);
    if (it.clears !== undefined) clear(it.clears);
    if (it.repeats) list.push({ number, due: now + it.delayMs, plan: it });
  };
  for (const one of steps) {
    if ("set" in one) set(one.set);
    if ("clear" in one) clear(one.clear);
    for (let end = now + (("advance" in one) ? one.advance : 0); now < end;) {
      now++;
      for (const { number, plan: it } of list.filter(({ due }) => due === now))
        if (!cleared.has(number)) fire(number, it);
      list = list.filter(({ due }) => due > now);
    }
  }
  return log;
};

test("fires the same timers as a naive model, in the same order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      expect(await onClock(steps)).toEqual(onModel(steps));
    }),
    { numRuns: 300 },
  );
});
