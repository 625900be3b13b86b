import { type ConfigRecord, configRecord, decimal, flag, integer } from "@framework/core/feature";

/** Options of `enableHttp2`. The limits and timeouts of the service also apply, as over HTTP/1.1. */
export interface Http2Config {
  /** Also serves HTTP/2 without TLS to clients that begin with it, such as a proxy (h2c with prior knowledge). @default false */
  readonly h2c: boolean;
  /** Maximum number of concurrent requests of a connection; further requests are refused, and clients retry. @default 100 */
  readonly maxConcurrentStreams: number;
  /** Bytes of one body that may arrive before the handler reads them. @default 262144 */
  readonly streamWindowBytes: number;
  /** Bytes of all bodies of a connection that may be in transit. @default 1048576 */
  readonly connectionWindowBytes: number;
  /** Requests that a client may cancel in a burst; refilled by `resetsPerSec` each second. @default 200 */
  readonly resetBurst: number;
  /** Requests that a client may cancel per second, on average. @default 33 */
  readonly resetsPerSec: number;
  /** Maximum number of PING and SETTINGS frames per second from a client. @default 1000 */
  readonly maxControlFramesPerSec: number;
  /** Maximum bytes per second from a client that are neither headers nor bodies, beyond the overhead of its transfers. @default 1048576 */
  readonly maxOverheadBytesPerSec: number;
  /** Seconds without a byte from the client, while a request is open, until a PING is sent; 0 disables it. @default 30 */
  readonly pingSecs: number;
  /** Seconds to wait for the ACK of a PING before the connection is closed. @default 15 */
  readonly pingTimeoutSecs: number;
}

const windowBytes = { min: 65_535, max: 16_777_216 };

export const Http2Config: ConfigRecord<Http2Config> = configRecord("Http2Config", {
  h2c: flag(false),
  maxConcurrentStreams: integer(100, { min: 1, max: 10_000 }),
  streamWindowBytes: integer(262_144, windowBytes),
  connectionWindowBytes: integer(1_048_576, windowBytes),
  resetBurst: integer(200, { min: 1, max: 1_000_000 }),
  resetsPerSec: integer(33, { min: 1, max: 1_000_000 }),
  maxControlFramesPerSec: integer(1000, { min: 10, max: 1_000_000 }),
  maxOverheadBytesPerSec: integer(1_048_576, { min: 65_536, max: 1_073_741_824 }),
  pingSecs: decimal(30, { min: 0, max: 86_400 }),
  pingTimeoutSecs: decimal(15, { min: 0.01, max: 86_400 }),
});
