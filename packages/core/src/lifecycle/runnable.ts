import type { Problem } from "../errors/configuration-error.ts";
import type { RegisteredListener } from "./listener.ts";
import type { AppSettings } from "./app-settings.ts";
import type { ConnectionProtocol, Reject, Serve } from "../exchange/transport.ts";

/** A page that a feature serves for people, such as the documentation. */
export interface AppLink {
  readonly name: string;
  /** Path below the service's URL, or a complete URL. */
  readonly path: string;
}

/** Properties of a started app, for the banner. */
export interface AppReport {
  /** Number of routes, including the routes of features. */
  readonly routes: number;
  /** Names of the enabled features. */
  readonly features: readonly string[];
  /** Pages of features that the banner shows. */
  readonly links: readonly AppLink[];
  /** Warnings for operators; the app runs nevertheless. */
  readonly warnings: readonly Problem[];
  /** Whether a readiness probe reports the drain: a drain must then give probes time to see its 503. */
  readonly needsReadinessDelay: boolean;
}

/** The interface of an app for `run`, which starts, serves, drains and stops it. */
export interface Runnable {
  /** Ports of features; complete when `run` is called. */
  readonly listeners: readonly RegisteredListener[];
  /** The protocol in addition to HTTP/1.1, if a feature has added one; complete when `run` is called. */
  readonly protocol?: ConnectionProtocol | undefined;
  /** Reserves the app for one `run`. Returns a function that releases it, which a failed `run` calls. @throws CORE_RUN_TWICE */
  claim(): () => void;
  /** Returns all mistakes of the app under these settings. Starts nothing; the app can still be changed and started. */
  check(settings: AppSettings): readonly Problem[];
  /** Reports all configuration mistakes at once, then runs the start tasks; throws when the app cannot serve. */
  start(settings: AppSettings): Promise<void>;
  /** Runs the listening tasks, once the port is open; throws when one fails. */
  listen(): Promise<void>;
  /** Serves one request; valid after `start`. */
  readonly serve: Serve;
  /** Creates the reply to a request that must not reach a handler, such as a malformed request. */
  readonly reject: Reject;
  /** Calls the drain listeners: readiness turns 503, requests are still served. Resolves to whether all settled within `limitMs`. */
  drain(limitMs: number): Promise<boolean>;
  /** Ends event streams cleanly and aborts `request.draining`. */
  endStreams(): void;
  /** Cancels a start in progress: `start` or `listen` rejects with CORE_START_ABANDONED, about a second later if a task ignores its signal. */
  abandon(): void;
  /**
   * Waits for drain listeners and background tasks, then runs the stop tasks of all features that had begun to start, in reverse; a failure does not stop the
   * rest. Resolves to whether background tasks and the disposal of dependencies ended in time.
   */
  stop(): Promise<boolean>;
  report(): AppReport;
  /** Returns the advice of features for a deployment on one host or on several; complete when everything is registered. */
  advice(severalHosts: boolean): readonly Problem[];
}
