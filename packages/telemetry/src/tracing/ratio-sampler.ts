import { type Context, trace, TraceFlags } from "@opentelemetry/api";
import { RANGE, type RandomIds } from "./random-ids.ts";
import type { Sampler, SamplingResult } from "@opentelemetry/sdk-trace";

/** The SDK's decisions as literals: importing its enum would load the SDK in programs that do not enable telemetry. */
const drop = 0 as SamplingResult["decision"];
const recordAndSample = 2 as SamplingResult["decision"];

/**
 * Samples a share of the traces that begin in this app, and follows the caller's decision for all other traces.
 *
 * The decision depends on the last 13 digits of the trace id alone, so that every service with the same ratio samples the same traces.
 */
export class RatioSampler implements Sampler {
  private readonly threshold: number;
  private readonly ratio: number;

  private readonly random: () => number;

  /**
   * @param ratio 0 to 1
   * @param random a number from 0 to less than 1. @default Math.random
   */
  constructor(ratio: number, random: () => number = Math.random) {
    this.ratio = ratio;
    this.threshold = Math.round(ratio * RANGE);
    this.random = random;
  }

  /** Whether a trace that begins in this app is sampled. */
  isSampled(traceId: string): boolean {
    return Number.parseInt(traceId.slice(19), 16) < this.threshold;
  }

  /**
   * Decides before a trace has an id; `newTraceId` then creates a matching id. A trace that is not sampled may never need ids. A
   * decision needs no cryptographic randomness, unlike an id.
   */
  decide(): boolean {
    return this.random() < this.ratio;
  }

  /** Returns a new trace id for which `isSampled` returns `sampled`. */
  newTraceId(ids: RandomIds, sampled: boolean): string {
    return sampled ? ids.traceIdWithin(0, this.threshold) : ids.traceIdWithin(this.threshold, RANGE);
  }

  /** Returns the ids of a new trace that is sampled. */
  newSampledIds(ids: RandomIds): readonly [traceId: string, spanId: string] {
    return ids.traceAndSpanIdWithin(0, this.threshold);
  }

  shouldSample(context: Context, traceId: string): SamplingResult {
    const parent = trace.getSpanContext(context);
    const isSampled =
      parent !== undefined && trace.isSpanContextValid(parent)
        ? (parent.traceFlags & TraceFlags.SAMPLED) === TraceFlags.SAMPLED
        : this.isSampled(traceId);
    return { decision: isSampled ? recordAndSample : drop };
  }

  toString(): string {
    return `RatioSampler{${this.ratio}}`;
  }
}
