import { hash, randomBytes } from "node:crypto";
import { seededRandom } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { RandomIds } from "./tracing/random-ids.ts";
import { RatioSampler } from "./tracing/ratio-sampler.ts";
import { get, tracedService } from "./traced-app.test-kit.ts";

const hex = (bytes: number): string => randomBytes(bytes).toString("hex");
const callerHeaders = (flags: string): Record<string, string> => ({
  traceparent: `00-${hex(16)}-${hex(8)}-${flags}`,
});

test("the ratio's share of 100,000 trace ids is sampled, within three standard deviations", () => {
  const all = 100_000;
  const ids = Array.from({ length: all }, (_, at) => hash("sha256", `${at}`).slice(0, 32));
  for (const ratio of [0.01, 0.1, 0.5]) {
    const sampler = new RatioSampler(ratio);
    const sampled = ids.filter((id) => sampler.isSampled(id)).length;
    expect(Math.abs(sampled - all * ratio)).toBeLessThan(3 * Math.sqrt(all * ratio * (1 - ratio)));
  }
});

test("no trace is sampled at 0 and every trace at 1, and a trace sampled at a lower ratio is sampled at every higher one", () => {
  for (let at = 0; at < 1000; at++) {
    const id = at === 0 ? "f".repeat(32) : hex(16);
    expect([new RatioSampler(0).isSampled(id), new RatioSampler(1).isSampled(id)]).toEqual([false, true]);
    const [at02, at03] = [new RatioSampler(0.2).isSampled(id), new RatioSampler(0.3).isSampled(id)];
    expect(at02 && !at03).toBe(false);
  }
});

test("a new trace id matches the sampling decision that was made before it", () => {
  const ids = new RandomIds();
  for (const ratio of [0.001, 0.1, 0.5, 0.999]) {
    const sampler = new RatioSampler(ratio);
    const created = [true, false].flatMap((sampled) =>
      Array.from({ length: 500 }, () => ({ sampled, id: sampler.newTraceId(ids, sampled) })),
    );
    expect(created.filter(({ sampled, id }) => sampler.isSampled(id) !== sampled)).toEqual([]);
    expect(created.filter(({ id }) => !/^[\da-f]{32}$/.test(id))).toEqual([]);
    expect(new Set(created.map(({ id }) => id)).size).toBe(1000);
  }
  expect(new RatioSampler(1).newTraceId(ids, true)).toMatch(/^[\da-f]{32}$/);
});

test("decide() samples the ratio's share of traces, within three standard deviations", () => {
  const sampler = new RatioSampler(0.1, seededRandom(1));
  let sampled = 0;
  for (let at = 0; at < 100_000; at++) if (sampler.decide()) sampled++;
  expect(Math.abs(sampled - 10_000)).toBeLessThan(3 * Math.sqrt(9000));
  expect([new RatioSampler(0, () => 0).decide(), new RatioSampler(1, () => 1 - 2 ** -53).decide()]).toEqual([
    false,
    true,
  ]);
});

test("the caller's sampling decision is followed, regardless of the rate", async () => {
  await using none = await tracedService({ samplingRate: 0 });
  none.app.get("/", () => "x");
  await get(none.app, "/");
  await get(none.app, "/", callerHeaders("00"));
  const sampled = callerHeaders("01");
  await get(none.app, "/", sampled);
  const { spans } = await none.finish();
  const [, traceId, parentSpanId] = sampled["traceparent"]?.split("-") ?? [];
  expect(spans).toMatchObject([{ traceId, parentSpanId, kind: "server" }]);
  await using every = await tracedService({ samplingRate: 1 });
  every.app.get("/", () => "x");
  await get(every.app, "/", callerHeaders("00"));
  expect((await every.finish()).spans).toEqual([]);
});

test("a sampling rate above 1 is clamped to 1", async () => {
  await using service = await tracedService({ samplingRate: 7 });
  service.app.get("/", () => "x");
  await get(service.app, "/");
  expect((await service.finish()).spans).toHaveLength(1);
});
