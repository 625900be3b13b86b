import { type ConfigRecord, configRecord, decimal, flag, integer, list } from "@framework/core/feature";

/** Limits and manners of WebSocket connections. */
export interface WebSocketConfig {
  /** Largest message in bytes, after inflating; a larger one closes with 1009. @default 1048576 */
  readonly maxMessageBytes: number;
  /** Parts that one message may arrive in; more close with 1008. @default 1024 */
  readonly maxFragments: number;
  /** Bytes that may wait for a client to take them; more close with 1013. A single message may be larger. @default 1048576 */
  readonly maxSendQueueBytes: number;
  /** Bytes of messages that may wait for the handler; with more the client is held back. @default 1048576 */
  readonly maxReceiveQueueBytes: number;
  /** Pings and pongs a second; more close with 1008. @default 100 */
  readonly maxControlFramesPerSec: number;
  /** Seconds between pings. @default 30 */
  readonly pingSecs: number;
  /** A client from which nothing came for so long is cut off, in seconds. @default 60 */
  readonly timeoutSecs: number;
  /** Longest wait for the client's answer to a close frame, in seconds. @default 5 */
  readonly closeWaitSecs: number;
  /** Compresses messages of 1 KiB and more for clients that can (RFC 7692), without state between messages. @default false */
  readonly deflate: boolean;
  /** Origins of browser pages that may connect, besides the service's own and those that CORS names: `https://app.example`. @default [] */
  readonly origins: readonly string[];
}

const isOrigin = (value: unknown): boolean =>
  typeof value === "string" && URL.canParse(value) && new URL(value).origin === value;

export const WebSocketConfig: ConfigRecord<WebSocketConfig> = configRecord("WebSocketConfig", {
  maxMessageBytes: integer(1_048_576, { min: 1, max: 1_073_741_824 }),
  maxFragments: integer(1024, { min: 1 }),
  maxSendQueueBytes: integer(1_048_576, { min: 1 }),
  maxReceiveQueueBytes: integer(1_048_576, { min: 1 }),
  maxControlFramesPerSec: integer(100, { min: 1 }),
  pingSecs: decimal(30, { min: 0.01 }),
  timeoutSecs: decimal(60, { min: 0.02 }),
  closeWaitSecs: decimal(5, { min: 0.01 }),
  deflate: flag(false),
  origins: list<string>([], "origins such as https://app.example", isOrigin),
});
