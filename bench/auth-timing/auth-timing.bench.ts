/**
 * Tests for timing leaks of user names and keys: pairs of rejected requests in random order, compared with Welch's t-test.
 *
 *   node --conditions=@framework/source auth-timing/auth-timing.bench.ts [scale]
 */
import { gate, printTable, printTitle } from "../measure/report.ts";
import { createSubjects, type Subject } from "./subjects.ts";
import { type Comparison, welch } from "./welch.ts";

const scale = Number(process.argv[2] ?? 1);
/** Standard errors above which two samples differ. */
const THRESHOLD = 4.5;
const WARM_UP = 2000;

const time = async (subject: Subject, first: boolean): Promise<number> => {
  const start = process.hrtime.bigint();
  await subject.send(first);
  return Number(process.hrtime.bigint() - start) / 1000;
};

const measure = async (subject: Subject): Promise<Comparison> => {
  for (let count = 0; count < Math.min(WARM_UP, subject.pairs); count++) await subject.send(count % 2 === 0);
  const samples: [number[], number[]] = [[], []];
  for (let pair = 0; pair < subject.pairs; pair++) {
    const order = Math.random() < 0.5 ? ([0, 1] as const) : ([1, 0] as const); // random order within each pair
    for (const kind of order) samples[kind].push(await time(subject, kind === 0));
  }
  return welch(...samples);
};

printTitle("Response time of rejected credentials");
const rows: (readonly (string | number)[])[] = [];
const verdicts: (readonly [holds: boolean, text: string])[] = [];
for (const subject of await createSubjects(scale)) {
  const { meanOf, t, pairs } = await measure(subject);
  rows.push([subject.name, pairs, meanOf[0].toFixed(2), meanOf[1].toFixed(2), t.toFixed(2)]);
  const isDistinguishable = Math.abs(t) >= THRESHOLD;
  verdicts.push([
    isDistinguishable === subject.leaks,
    `${subject.name}: ${subject.leaks ? "distinguishable, as planted" : "not distinguishable"}`,
  ]);
}
printTable(["requests", "pairs", "mean of the first kind, µs", "of the second, µs", "t"], rows);
for (const [holds, text] of verdicts) gate(holds, text);
