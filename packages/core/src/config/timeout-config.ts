import { configRecord, type ConfigRecord } from "./config-record.ts";
import { decimal } from "./field-rules.ts";

/** Timeouts of requests in seconds, each from 0.01 to 86,400, `handlerSecs` from 0; the same on every transport. */
export interface TimeoutConfig {
  /** Seconds for a request's head, from its first byte. @default 5 */
  readonly readHeaderSecs: number;
  /** Seconds for a body; longer only while at least 1 KiB/s of it arrives, without its framing. @default 30 */
  readonly readBodySecs: number;
  /**
   * Seconds within which a client must read part of a waiting reply, and at least 1 KiB/s on average; otherwise its connection is reset. Progress is
   * counted in steps of about 64 KiB, so only a rate of two to three times 1 KiB/s is always sufficient. @default 30
   */
  readonly writeSecs: number;
  /** Seconds a connection may be idle between requests. @default 75 */
  readonly idleSecs: number;
  /** Seconds for the guards, the input and the handler of a route together; then the client gets 504, or 408 if its body was slow. @default 0 (off) */
  readonly handlerSecs: number;
}

const seconds = { min: 0.01, max: 86_400 };

export const TimeoutConfig: ConfigRecord<TimeoutConfig> = configRecord("TimeoutConfig", {
  readHeaderSecs: decimal(5, seconds),
  readBodySecs: decimal(30, seconds),
  writeSecs: decimal(30, seconds),
  idleSecs: decimal(75, seconds),
  handlerSecs: decimal(0, { min: 0, max: 86_400 }),
});
