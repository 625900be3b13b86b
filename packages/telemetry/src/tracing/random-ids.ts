import { randomFillSync } from "node:crypto";

/** Random bytes that are drawn at once. */
const POOL_BYTES = 8192;
/** Bytes of a trace id. */
const TRACE = 16;
/** Hexadecimal digits at the end of a trace id that decide about sampling. */
const DRAWN_DIGITS = 13;

/**
 * Random trace and span ids. A trace can be drawn before its id is text: most are not sampled, and of those nothing asks for the id.
 *
 * An id of zeros, which is invalid, comes once in 10^19 draws, and only loses its span.
 */
export class RandomIds {
  private readonly pool: Buffer = Buffer.alloc(POOL_BYTES);
  private at = POOL_BYTES;

  generateTraceId(): string {
    return this.take(TRACE);
  }

  generateSpanId(): string {
    return this.take(8);
  }

  /** Draws a trace id, and returns its last 52 bits as a number. */
  draw(): number {
    const { pool } = this;
    const end = this.advance(TRACE) + TRACE;
    const high = ((byte(pool, end - 7) & 15) << 16) | (byte(pool, end - 6) << 8) | byte(pool, end - 5);
    const low = (byte(pool, end - 4) << 24) | (byte(pool, end - 3) << 16) | (byte(pool, end - 2) << 8);
    return high * 0x1_0000_0000 + ((low | byte(pool, end - 1)) >>> 0);
  }

  /** Returns the trace id that was drawn last. */
  drawnId(): string {
    return this.pool.toString("hex", this.at - TRACE, this.at);
  }

  /** Returns a trace id that ends in 52 bits drawn before: five times as slow as `drawnId`. */
  idEndingIn(drawn: number): string {
    return this.take(TRACE).slice(0, -DRAWN_DIGITS) + drawn.toString(16).padStart(DRAWN_DIGITS, "0");
  }

  private take(bytes: number): string {
    const at = this.advance(bytes);
    return this.pool.toString("hex", at, at + bytes);
  }

  /** Returns where so many unused bytes begin. */
  private advance(bytes: number): number {
    if (this.at + bytes > POOL_BYTES) {
      randomFillSync(this.pool);
      this.at = 0;
    }
    this.at += bytes;
    return this.at - bytes;
  }
}

const byte = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0;
