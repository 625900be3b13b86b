import { configRecord, type ConfigRecord } from "./config-record.ts";
import { integer } from "./field-rules.ts";

/** Limits on client input; the same on every transport. */
export interface LimitsConfig {
  /** Maximum bytes of the request line, 64 to 1,048,576. @default 8192 */
  readonly maxRequestLine: number;
  /** Maximum bytes of all header fields together, 256 to 1,048,576. @default 16384 */
  readonly maxHeaderBytes: number;
  /** Maximum number of header fields, 1 to 10,000. @default 100 */
  readonly maxHeaderFields: number;
  /** Maximum bytes of a body, unless the route or the body-limit feature sets another limit. @default 104857600 */
  readonly maxBodyBytes: number;
  /** Maximum number of open connections of one worker, at least 1. @default 10000 */
  readonly maxConnections: number;
  /** Maximum number of requests on one connection; the last reply has `Connection: close`. @default 0 (unlimited) */
  readonly maxRequestsPerConnection: number;
}

export const LimitsConfig: ConfigRecord<LimitsConfig> = configRecord("LimitsConfig", {
  maxRequestLine: integer(8192, { min: 64, max: 1_048_576 }),
  maxHeaderBytes: integer(16_384, { min: 256, max: 1_048_576 }),
  maxHeaderFields: integer(100, { min: 1, max: 10_000 }),
  maxBodyBytes: integer(104_857_600),
  maxConnections: integer(10_000, { min: 1 }),
  maxRequestsPerConnection: integer(0),
});
