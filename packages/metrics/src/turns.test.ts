import type { SharedState } from "@framework/core/feature";
import { inProcessState } from "@framework/core/testing";
import { seededRandom, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import type { Parsed } from "./exposition-parser.test-kit.ts";
import { service } from "./service.test-kit.ts";

/** Measures the largest sum of amounts within one turn of the event loop. */
const perTurn = () => {
  let current = 0;
  let max = 0;
  return {
    add(amount: number): void {
      if (current === 0) setImmediate(() => void (current = 0));
      current += amount;
      max = Math.max(max, current);
    },
    take(): number {
      const taken = max;
      max = 0;
      return taken;
    },
  };
};

const measure = () => {
  const totals = perTurn();
  const messages = perTurn();
  const wrap = (shared: SharedState): SharedState => ({
    ...shared,
    totals: {
      add(key, amounts) {
        totals.add(amounts.length);
        return shared.totals.add(key, amounts);
      },
      async read(key, from) {
        const page = await shared.totals.read(key, from);
        totals.add(page.length);
        return page;
      },
    },
    values: {
      ...shared.values,
      publish(channel, message, options) {
        messages.add(1);
        return shared.values.publish(channel, message, options);
      },
    },
  });
  return { totals, messages, wrap };
};

const own = () => inProcessState({ log: { error: () => {} } });

test.each([
  ["in this process", (wrap: (shared: SharedState) => SharedState) => () => wrap(own())],
  ["through the primary process", (wrap: (shared: SharedState) => SharedState) => wrap],
])(
  "a scrape of 10,000 series handles at most 750 in one turn of the event loop, with totals %s",
  async (_name, makeState) => {
    const { totals, messages, wrap } = measure();
    const worker = await service(1).start(makeState(wrap));
    for (let n = 0; n < 5000; n++) {
      worker.counter.inc({ kind: `kind ${n}` });
      worker.levels.set({ place: `place ${n}` }, n);
    }
    const samplesOf = async (name: string): Promise<number | undefined> =>
      (await worker.scrape()).families.get(name)?.samples.length;
    await waitFor(async () => (await samplesOf("levels")) === 5000); // on a busy machine the gauges may still be in transit
    expect(await samplesOf("things_total")).toBe(5000);
    const [series, parts] = [totals.take(), messages.take()];
    expect([series > 0, series <= 750]).toEqual([true, true]);
    expect([parts > 0, parts <= 2]).toEqual([true, true]);
  },
);

const values = (parsed: Parsed): ReadonlyMap<string, number> =>
  new Map(
    ["things_total", "framework_job_duration_seconds"].flatMap((name) =>
      (parsed.families.get(name)?.samples ?? []).map((sample): [string, number] => [
        JSON.stringify([sample.name, sample.labels]),
        sample.value,
      ]),
    ),
  );

test("counts that arrive while pages are read never decrease or exceed the real count", async () => {
  const { start } = service(2);
  const [one, two] = [await start(), await start()];
  const random = seededRandom(11);
  const counts = new Map<string, number>();
  const count = (): void => {
    const kind = `kind ${Math.floor(random() * 1500)}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const worker = random() < 0.5 ? one : two;
    worker.counter.inc({ kind });
    worker.jobs.observe(random() * 3, { kind });
  };
  for (let n = 0; n < 5000; n++) count();
  let isCounting = true;
  const counting = (async () => {
    while (isCounting) {
      for (let n = 0; n < 20; n++) count();
      await new Promise(setImmediate);
    }
  })();
  try {
    let last: ReadonlyMap<string, number> = new Map();
    for (let round = 0; round < 6; round++) {
      const before = new Map(counts);
      const parsed = await [one, two][round % 2]?.scrape();
      const now = values(parsed as Parsed);
      expect([...last].filter(([key, value]) => (now.get(key) ?? -1) < value)).toEqual([]);
      const wrong: unknown[] = [];
      for (const [kind, min] of before) {
        const key = (name: string, labels: object = {}): string =>
          JSON.stringify([name, { kind, ...labels }]);
        const seen = now.get(key("things_total")) ?? -1;
        if (seen < min || seen > (counts.get(kind) ?? 0)) wrong.push([kind, min, seen]);
        const observed = now.get(key("framework_job_duration_seconds_count"));
        const inBuckets = now.get(key("framework_job_duration_seconds_bucket", { le: "+Inf" }));
        if (inBuckets === undefined || inBuckets !== observed) wrong.push([kind, inBuckets, observed]);
      }
      expect(wrong).toEqual([]);
      last = now;
    }
  } finally {
    isCounting = false;
    await counting;
  }
});
