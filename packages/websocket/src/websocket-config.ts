import { type ConfigRecord, configRecord, decimal, flag, integer, list } from "@framework/core/feature";

/** Limits and options of WebSocket connections. */
export interface WebSocketConfig {
  /** Largest message in bytes, after inflating; a larger message closes the connection with 1009. @default 1048576 */
  readonly maxMessageBytes: number;
  /** Maximum number of fragments in a message; more close the connection with 1008. @default 1024 */
  readonly maxFragments: number;
  /** Maximum bytes queued for a client; more close the connection with 1013. A single message may be larger. @default 1048576 */
  readonly maxSendQueueBytes: number;
  /** Maximum bytes queued for the handler; above it the client is paused. @default 1048576 */
  readonly maxReceiveQueueBytes: number;
  /** Maximum number of pings and pongs per second from a client; more close the connection with 1008. @default 100 */
  readonly maxControlFramesPerSec: number;
  /** Seconds between pings. @default 30 */
  readonly pingSecs: number;
  /** Seconds after which a connection is closed if the client neither sends data nor receives queued bytes; must be above `pingSecs`. @default 60 */
  readonly timeoutSecs: number;
  /** Maximum wait for the client's close frame, in seconds. @default 5 */
  readonly closeWaitSecs: number;
  /** Compresses messages of 1 KiB and more for clients that support it (RFC 7692), without state between messages. @default false */
  readonly deflate: boolean;
  /** Allowed origins of browser pages, such as `https://app.example`, besides the service's own and the origins of CORS with `credentials`. @default [] */
  readonly origins: readonly string[];
}

const isOrigin = (value: unknown): boolean =>
  typeof value === "string" && URL.canParse(value) && new URL(value).origin === value;

/** Limits and options that a route can set for itself: all but the ping interval, which the app sets. */
export type WebSocketLimits = Omit<WebSocketConfig, "pingSecs">;

const limits = {
  maxMessageBytes: integer(1_048_576, { min: 1, max: 1_073_741_824 }),
  maxFragments: integer(1024, { min: 1 }),
  maxSendQueueBytes: integer(1_048_576, { min: 1 }),
  maxReceiveQueueBytes: integer(1_048_576, { min: 1 }),
  maxControlFramesPerSec: integer(100, { min: 1 }),
  timeoutSecs: decimal(60, { min: 0.02, max: 604_800 }),
  closeWaitSecs: decimal(5, { min: 0.01, max: 604_800 }),
  deflate: flag(false),
  origins: list<string>([], "origins such as https://app.example", isOrigin),
};

export const WebSocketConfig: ConfigRecord<WebSocketConfig> = configRecord("WebSocketConfig", {
  pingSecs: decimal(30, { min: 0.01, max: 604_800 }),
  ...limits,
});

export const WebSocketLimits: ConfigRecord<WebSocketLimits> = configRecord("WebSocketLimits", limits);
