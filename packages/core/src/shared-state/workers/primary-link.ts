import type { PermitResult, PermitRequest, PermitRule } from "../permits/permits.ts";
import type { Total } from "../totals/totals.ts";
import type { AddResult, RaiseOptions } from "../values/shared-values.ts";

/**
 * One end of an ordered message channel between a worker and the primary process, such as the IPC channel of a forked process.
 *
 * Messages are plain JSON objects. Messages of the shared state have `"@framework": "shared-state"`; other messages on the channel are ignored.
 */
export interface PrimaryLink {
  /** Sends a message to the other end; may throw when the channel is closed. */
  send(message: object): void;
  /** Calls `listener` with every message of the other end. Returns a function that unsubscribes. */
  onMessage(listener: (message: unknown) => void): () => void;
  /** Calls `listener` once, when the channel closes or the other end exits; at once if it is closed. */
  onClose(listener: () => void): void;
}

/** The primary's view of its workers. */
export interface PrimaryHub {
  /** Calls `listener` with the link to every present and future worker. Returns a function that unsubscribes. */
  onWorker(listener: (link: PrimaryLink) => void): () => void;
}

interface Tagged {
  readonly "@framework": "shared-state";
}

/** A worker's call; values are sent as JSON text, so that messages are not deeply nested. */
export type StateCall =
  | {
      readonly op: "add";
      readonly key: string;
      readonly amount: number;
      readonly ttlMs: number;
      readonly max?: number;
    }
  | ({ readonly op: "raise"; readonly key: string; readonly value: number } & RaiseOptions)
  | { readonly op: "get"; readonly key: string }
  | {
      readonly op: "set";
      readonly key: string;
      readonly text: string;
      readonly ttlMs: number;
      readonly ifAbsent: boolean;
    }
  | ({ readonly op: "take"; readonly key: string } & PermitRule & PermitRequest)
  | { readonly op: "addTotals"; readonly key: string; readonly amounts: readonly Total[] }
  | { readonly op: "readTotals"; readonly key: string; readonly from: number }
  | { readonly op: "delete"; readonly key: string }
  | { readonly op: "publish"; readonly channel: string; readonly text: string };

/** The result of each operation. */
export interface StateResults {
  readonly add: AddResult;
  readonly raise: boolean;
  /** The value's JSON text; `null` when the key is absent. */
  readonly get: string | null;
  readonly set: boolean;
  readonly take: PermitResult;
  readonly addTotals: null;
  readonly readTotals: readonly Total[];
  readonly delete: boolean;
  readonly publish: null;
}

/** A message from a worker to the primary. */
export type WorkerMessage = Tagged &
  (
    | { readonly type: "call"; readonly id: number; readonly call: StateCall }
    | { readonly type: "subscribe"; readonly channel: string }
    | { readonly type: "unsubscribe"; readonly channel: string }
    | { readonly type: "received"; readonly id: number }
  );

/** A message from the primary to a worker. */
export type PrimaryMessage = Tagged &
  (
    | { readonly type: "result"; readonly id: number; readonly result: StateResults[keyof StateResults] }
    | { readonly type: "failure"; readonly id: number; readonly code: string; readonly message: string }
    | { readonly type: "message"; readonly id: number; readonly channel: string; readonly text: string }
  );

/** Whether a message on the channel belongs to the shared state. */
export const isStateMessage = (message: unknown): message is Tagged =>
  typeof message === "object" &&
  message !== null &&
  (message as { "@framework"?: unknown })["@framework"] === "shared-state";
