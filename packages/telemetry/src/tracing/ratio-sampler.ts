import { type Context, trace, TraceFlags } from "@opentelemetry/api";
import type { Sampler, SamplingResult } from "@opentelemetry/sdk-trace";

/** The SDK's decisions, by value: its enumeration would load the SDK for programs that do not enable telemetry. */
const drop = 0 as SamplingResult["decision"];
const recordAndSample = 2 as SamplingResult["decision"];
const RANGE = 2 ** 52;

/**
 * Samples a share of the traces that begin here, and follows the caller's decision for all others.
 *
 * The decision depends on the last 13 digits of the trace id alone, so that every service with the same ratio samples the same traces.
 */
export class RatioSampler implements Sampler {
  private readonly threshold: number;
  private readonly ratio: number;

  /** @param ratio 0 to 1 */
  constructor(ratio: number) {
    this.ratio = ratio;
    this.threshold = Math.round(ratio * RANGE);
  }

  /** Whether a trace that begins here is sampled. */
  isSampled(traceId: string): boolean {
    return this.samples(Number.parseInt(traceId.slice(19), 16));
  }

  /** Whether a trace is sampled whose id ends in these 52 bits. */
  samples(end: number): boolean {
    return end < this.threshold;
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
