import type { AppReport } from "../../lifecycle/runnable.ts";
import type { ListenerAddress } from "../../lifecycle/listener.ts";
import type { ShutdownResult } from "../stop/shutdown.ts";
import type { StartFailure } from "../start/start-error.ts";

/** Number of open connections on one port: of one worker, or as the mean of all workers. */
export interface ConnectionCounts {
  /** Estimate of long-lived connections: follows the lowest recent number of open connections. */
  readonly settled: number;
  /** Maximum number of open connections since the last report. */
  readonly peak: number;
}

/** Open connections of a worker on one port. */
export interface Load extends ConnectionCounts {
  /** Whether it leaves new connections to other workers. */
  readonly backsOff: boolean;
}

/** Messages from the primary to a worker. */
export type ToWorker =
  /** Sent with an unread socket; the primary keeps its own copy until it receives `taken`. */
  | { readonly "@framework": "connection"; readonly id: number; readonly listener?: string | undefined }
  /** The service begins to drain and stops within the time: drain listeners run, connections are still accepted. */
  | { readonly "@framework": "unready"; readonly timeoutMs: number }
  /** Reread the certificate from its files. */
  | { readonly "@framework": "renew-tls" }
  /** The means of all workers' loads on one port. */
  | {
      readonly "@framework": "mean";
      readonly listener?: string | undefined;
      readonly means: ConnectionCounts;
    }
  /** No more connections follow: finish the requests in progress and exit within the time. A worker that is starting rolls back and exits. */
  | { readonly "@framework": "drain"; readonly timeoutMs: number };

/** Messages from a worker to the primary. */
export type ToPrimary =
  /** The program has reached its `run`: from now on the worker receives messages. */
  | { readonly "@framework": "begun" }
  | { readonly "@framework": "ready"; readonly report: AppReport }
  | { readonly "@framework": "failed"; readonly failure: StartFailure }
  | { readonly "@framework": "taken"; readonly id: number }
  /** The worker received SIGTERM. It serves until its replacement is ready and the primary sends `drain`. */
  | { readonly "@framework": "retire" }
  /** Load of a worker that accepts on one port; `null` when it stops accepting there. */
  | { readonly "@framework": "load"; readonly listener?: string | undefined; readonly load: Load | null }
  /** The worker had an uncaught error: it drains on its own, unless it already did, and needs no more connections. */
  | { readonly "@framework": "broken"; readonly wasDraining: boolean }
  /** The program in the worker called `close()`: the whole service must stop. */
  | { readonly "@framework": "close" }
  /** The last message before exit: how the drain ended. */
  | ({ readonly "@framework": "drained" } & ShutdownResult);

/** Whether a message on the channel is the framework's; the program may use the channel for its own. */
export const isEnvelope = (message: unknown): message is { readonly "@framework": string } =>
  typeof message === "object" &&
  message !== null &&
  typeof (message as { "@framework"?: unknown })["@framework"] === "string";

/** Data for a worker in its environment, available before any message. */
export interface WorkerBrief {
  /** Process id of the primary. */
  readonly primary: number;
  /** Index of the `run` call that the worker serves, from 0. */
  readonly service: number;
  /** URL, host and port of the service, whose listener the primary holds. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** The ports of features that the primary has opened. */
  readonly listeners: readonly ListenerAddress[];
  /** Whether the worker accepts connections itself, from the descriptors that it has inherited. */
  readonly accepts: boolean;
  readonly workers: number;
}

/** The descriptor of the service's own port in a worker that accepts; the descriptors of `listeners` follow in their order. The channel to the primary is 3. */
export const FIRST_DESCRIPTOR = 4;

/** Name of the variable that carries a `WorkerBrief` as JSON. */
export const BRIEF_VARIABLE = "FRAMEWORK_WORKER";
