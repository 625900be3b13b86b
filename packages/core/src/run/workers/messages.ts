import type { AppReport } from "../../lifecycle/runnable.ts";
import type { ListenerAddress } from "../../lifecycle/listener.ts";
import type { ShutdownResult } from "../stop/shutdown.ts";
import type { StartFailure } from "../start/start-error.ts";

/** What the primary says to a worker. */
export type ToWorker =
  /** Comes with a socket that is unread; the primary keeps its own copy until it hears `taken`. */
  | { readonly "@framework": "connection"; readonly id: number; readonly listener?: string | undefined }
  /** The service begins to drain, and ends within the time: drain listeners run, connections still come. */
  | { readonly "@framework": "unready"; readonly timeoutMs: number }
  /** No more connections come: finish what is in flight and exit within the time. A worker that is starting undoes that and exits. */
  | { readonly "@framework": "drain"; readonly timeoutMs: number };

/** What a worker says to the primary. */
export type ToPrimary =
  /** The program has come to its `run`: from now on the worker hears messages. */
  | { readonly "@framework": "begun" }
  | { readonly "@framework": "ready"; readonly report: AppReport }
  | { readonly "@framework": "failed"; readonly failure: StartFailure }
  | { readonly "@framework": "taken"; readonly id: number }
  /** Asked to end from outside: serves on until its replacement is ready and the primary says `drain`. */
  | { readonly "@framework": "retire" }
  /** Broken by an uncaught error: drains by itself and wants no more connections. */
  | { readonly "@framework": "broken" }
  /** The program in the worker called `close()`: the whole service is to stop. */
  | { readonly "@framework": "close" }
  /** The last message before exit: how the drain ended. */
  | ({ readonly "@framework": "drained" } & ShutdownResult);

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
  /** The ports of features that the primary has opened. */
  readonly listeners: readonly ListenerAddress[];
  readonly workers: number;
}

/** Name of the variable that carries a `WorkerBrief` as JSON. */
export const BRIEF_VARIABLE = "FRAMEWORK_WORKER";
