import { randomFillSync } from "node:crypto";

/** Number of random bytes that one call generates. */
const POOL_BYTES = 8192;
/** Bytes of a trace id. */
const TRACE_BYTES = 16;
/** Bytes of a span id. */
const SPAN_BYTES = 8;
/** Number of values of the last 52 bits of a trace id, on which sampling depends. */
export const RANGE: number = 2 ** 52;

/** Random trace and span ids. An invalid id of only zeros occurs once in 10^19 ids; its span is lost. */
export class RandomIds {
  private readonly pool: Buffer = Buffer.alloc(POOL_BYTES);
  private at = POOL_BYTES;

  generateTraceId(): string {
    return this.take(TRACE_BYTES);
  }

  generateSpanId(): string {
    return this.take(SPAN_BYTES);
  }

  /**
   * Returns both ids of a new trace, formatted by one native call.
   *
   * @param from bounds of the last 52 bits of the trace id, as in `traceIdWithin`
   */
  traceAndSpanIdWithin(from: number, to: number): readonly [traceId: string, spanId: string] {
    const start = this.advance(TRACE_BYTES + SPAN_BYTES);
    this.limit(start, from, to);
    const text = this.pool.toString("hex", start, start + TRACE_BYTES + SPAN_BYTES);
    return [text.slice(0, 2 * TRACE_BYTES), text.slice(2 * TRACE_BYTES)];
  }

  /** Returns a trace id whose last 52 bits are at least `from` and less than `to`, uniformly distributed. */
  traceIdWithin(from: number, to: number): string {
    const start = this.advance(TRACE_BYTES);
    this.limit(start, from, to);
    return this.pool.toString("hex", start, start + TRACE_BYTES);
  }

  /** Scales the last 52 bits of the trace id at `start` into a range. */
  private limit(start: number, from: number, to: number): void {
    if (to - from >= RANGE) return;
    const { pool } = this;
    const end = from + Math.floor((last52(pool, start + TRACE_BYTES) / RANGE) * (to - from));
    writeLast52(pool, start + TRACE_BYTES, end);
  }

  private take(bytes: number): string {
    const at = this.advance(bytes);
    return this.pool.toString("hex", at, at + bytes);
  }

  /** Returns the index of the next unused bytes, and marks them as used. */
  private advance(bytes: number): number {
    if (this.at + bytes > POOL_BYTES) {
      randomFillSync(this.pool);
      this.at = 0;
    }
    this.at += bytes;
    return this.at - bytes;
  }
}

/** Reads the 52 bits before `end`. */
const last52 = (bytes: Buffer, end: number): number =>
  (bytes.readUInt32BE(end - 8) & 0xf_ffff) * TWO_32 + bytes.readUInt32BE(end - 4);

const writeLast52 = (bytes: Buffer, end: number, value: number): void => {
  const high = Math.floor(value / TWO_32);
  bytes.writeUInt32BE(((bytes.readUInt32BE(end - 8) & 0xfff0_0000) | high) >>> 0, end - 8);
  bytes.writeUInt32BE(value % TWO_32, end - 4);
};

const TWO_32 = 2 ** 32;
