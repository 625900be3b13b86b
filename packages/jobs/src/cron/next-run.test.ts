import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseCron } from "./cron-expression.ts";
import { type FieldValues, runsByWalking, walk, type WalkedMinute } from "./minute-walker.test-kit.ts";
import { lastRun, nextRun } from "./next-run.ts";
import { TimeZone } from "./time-zone.ts";

/** Number of random expressions for each property; `JOBS_CRON_RUNS=1000` for a long run. */
const RUNS = Number(process.env["JOBS_CRON_RUNS"] ?? "100");
const DAY = 86_400_000;
const DAY_MINUTES = 1440;

/** Zones with a date near which the offset changes; each span is five days. Some have no change. */
const changes: readonly (readonly [zone: string, near: string])[] = [
  ["UTC", "2026-02-28"],
  ["Asia/Kathmandu", "2027-12-31"],
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["Australia/Lord_Howe", "2027-04-04"],
  ["America/Sao_Paulo", "2017-10-15"],
  ["America/Sao_Paulo", "2018-02-18"],
  ["Pacific/Apia", "2011-12-30"],
  ["Africa/Casablanca", "2026-02-15"],
  ["America/St_Johns", "2010-03-14"],
  ["America/St_Johns", "2010-11-07"],
  ["Africa/Cairo", "2026-04-24"],
  ["Antarctica/Troll", "2026-03-29"],
];
const spans = changes.map(([zone, near]) => {
  const from = Date.parse(`${near}T00:00:00Z`) - 2 * DAY;
  return { zone: new TimeZone(zone), walked: walk(zone, from, 5 * DAY_MINUTES) };
});

const all = (min: number, max: number): number[] =>
  Array.from({ length: max - min + 1 }, (_, at) => min + at);
const some = (min: number, max: number) =>
  fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 });
const orAll = (min: number, max: number) => fc.oneof(some(min, max), fc.constant(all(min, max)));
const stepped = (max: number) =>
  fc.integer({ min: 2, max }).map((step) => all(0, max).filter((value) => value % step === 0));
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 3 });

const expression: fc.Arbitrary<FieldValues> = fc.record({
  minutes: fc.oneof(orAll(0, 59), stepped(59)),
  hours: fc.oneof(orAll(0, 23), some(0, 4), stepped(23)),
  days: orNull(some(1, 31)),
  months: fc.oneof({ weight: 4, arbitrary: fc.constant(all(1, 12)) }, { weight: 1, arbitrary: some(1, 12) }),
  weekdays: orNull(some(0, 6)),
});

const textOf = ({ minutes, hours, days, months, weekdays }: FieldValues): string =>
  [minutes, hours, days ?? ["*"], months, weekdays ?? ["*"]].map((values) => values.join(",")).join(" ");

const allRuns = (text: string, zone: TimeZone, from: number, until: number): number[] => {
  const cron = parseCron(text);
  const runs: number[] = [];
  for (let at = nextRun(cron, zone, from); at !== null && at <= until; at = nextRun(cron, zone, at))
    runs.push(at);
  return runs;
};

const bounds = (walked: readonly WalkedMinute[]): [from: number, until: number] => [
  walked[0]?.instant ?? 0,
  walked.at(-1)?.instant ?? 0,
];

test("around a change of the offset, the runs equal those found by a search of every minute, in any zone", () => {
  const span = fc.constantFrom(...spans);
  fc.assert(
    fc.property(span, expression, ({ zone, walked }, values) => {
      fc.pre(values.minutes.length * values.hours.length < 300); // excludes runs every few minutes: they are slow, and another test covers them
      const [from, until] = bounds(walked);
      expect(allRuns(textOf(values), zone, from, until)).toEqual(runsByWalking(values, walked));
    }),
    { numRuns: RUNS },
  );
});

test("an expression that matches every minute runs each minute of real time, through every change of the offset", () => {
  for (const { zone, walked } of spans) {
    const [from] = bounds(walked);
    const some = walked.slice(DAY_MINUTES * 2 - 200, DAY_MINUTES * 2 + 200);
    const [start = from, end = from] = [some[0]?.instant, some.at(-1)?.instant];
    expect(allRuns("* * * * *", zone, start, end)).toEqual(some.slice(1).map(({ instant }) => instant));
  }
});

test("the runs of a leap year equal those found by a search of every minute", () => {
  const from = Date.UTC(2028, 0, 1);
  const walked = walk("Europe/Berlin", from, 366 * DAY_MINUTES);
  const zone = new TimeZone("Europe/Berlin");
  const rare: fc.Arbitrary<FieldValues> = fc.record({
    minutes: some(0, 59),
    hours: fc.oneof(some(0, 23), fc.constant(all(0, 23))),
    days: some(1, 31),
    months: some(1, 12),
    weekdays: fc.constant(null),
  });
  const until = walked.at(-1)?.instant ?? 0;
  fc.assert(
    fc.property(rare, (values) => {
      expect(allRuns(textOf(values), zone, from, until)).toEqual(runsByWalking(values, walked));
    }),
    { numRuns: Math.ceil(RUNS / 30) },
  );
});

test("lastRun returns the last of all runs in a span, found by a search of every minute", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...spans),
      expression,
      fc.nat(4 * DAY),
      fc.nat(DAY),
      (span, values, skip, size) => {
        const { zone, walked } = span;
        const after = (walked[0]?.instant ?? 0) + skip;
        const cron = parseCron(textOf(values));
        const runs = runsByWalking(values, walked).filter((at) => at > after && at <= after + size);
        expect(lastRun(cron, zone, after, after + size)).toBe(runs.at(-1) ?? null);
      },
    ),
    { numRuns: RUNS },
  );
});

const next = (text: string, zone: string, after: string): string | null => {
  const at = nextRun(parseCron(text), new TimeZone(zone), Date.parse(after));
  return at === null ? null : new Date(at).toISOString();
};

test("a skipped time runs at the end of the gap, a repeated one at its first occurrence", () => {
  expect(next("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z")).toBe("2026-03-29T01:00:00.000Z");
  expect(next("0,15,30 2 * * *", "Europe/Berlin", "2026-03-29T01:00:00Z")).toBe("2026-03-30T00:00:00.000Z");
  expect(next("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z")).toBe("2026-10-25T00:30:00.000Z");
  expect(next("30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z")).toBe("2026-10-26T01:30:00.000Z");
});

test("the next run may be on February 29 after a century year without one; a date that does not exist has no run", () => {
  expect(next("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z")).toBe("2104-02-29T00:00:00.000Z");
  expect(next("0 0 30 2 *", "UTC", "2026-01-01T00:00:00Z")).toBe(null);
});
