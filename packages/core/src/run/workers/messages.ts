import type { AppReport } from "../../lifecycle/runnable.ts";
import type { StartFailure } from "../start/start-error.ts";

/** What the primary says to a worker. */
export type ToWorker =
  /** Comes with a socket that nobody has read from; the primary keeps its own copy until it hears `taken`. */
  | { readonly "@framework": "connection"; readonly id: number }
  /** Readiness 503; connections still come. */
  | { readonly "@framework": "unready" }
  /** No more connections come: finish what is in flight and exit within the time. */
  | { readonly "@framework": "drain"; readonly timeoutMs: number };

/** What a worker says to the primary. */
export type ToPrimary =
  | { readonly "@framework": "ready"; readonly report: AppReport }
  | { readonly "@framework": "failed"; readonly failure: StartFailure }
  | { readonly "@framework": "taken"; readonly id: number }
  /** Asked to end from outside: serves on until its replacement is ready and the primary says `drain`. */
  | { readonly "@framework": "retire" }
  /** Broken by an uncaught error: drains by itself and wants no more connections. */
  | { readonly "@framework": "broken" }
  /** The program in the worker called `close()`: the whole service is to stop. */
  | { readonly "@framework": "close" }
  /** The last word before exit: connections that were cut at the deadline. */
  | { readonly "@framework": "drained"; readonly cut: number };

/** Whether a message on the channel is one of ours; the program may use the channel for its own. */
export const isEnvelope = (message: unknown): message is { readonly "@framework": string } =>
  typeof message === "object" &&
  message !== null &&
  typeof (message as { "@framework"?: unknown })["@framework"] === "string";

/** What a worker is told by its environment, before any message. */
export interface WorkerBrief {
  /** Which call of `run` in the program the worker serves, counted from 0. */
  readonly service: number;
  /** What the primary listens on. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly workers: number;
}

/** Name of the variable that carries a `WorkerBrief` as JSON. */
export const BRIEF_VARIABLE = "FRAMEWORK_WORKER";
