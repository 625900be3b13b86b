import { randomFillSync } from "node:crypto";

/** Bytes that are drawn at once, as hexadecimal text: an id is then a slice of it, which allocates 32 bytes. */
const POOL_BYTES = 4096;

/**
 * Random trace and span ids. `reserve` fixes the trace id of the next root span, so that a sampler can decide before there is a span.
 *
 * An id of zeros, which is invalid, comes once in 10^19 draws, and only loses its span.
 */
export class RandomIds {
  private readonly bytes: Buffer = Buffer.alloc(POOL_BYTES);
  private pool = "";
  private at = 0;
  private reserved: string | null = null;

  generateTraceId(): string {
    const { reserved } = this;
    this.reserved = null;
    return reserved ?? this.traceId();
  }

  generateSpanId(): string {
    return this.take(16);
  }

  /** Returns a new trace id. */
  traceId(): string {
    return this.take(32);
  }

  /** Makes this the next id of `generateTraceId`. */
  reserve(traceId: string): void {
    this.reserved = traceId;
  }

  private take(digits: number): string {
    if (this.at + digits > this.pool.length) {
      this.pool = randomFillSync(this.bytes).toString("hex");
      this.at = 0;
    }
    this.at += digits;
    return this.pool.slice(this.at - digits, this.at);
  }
}
