import type { Problem } from "../errors/configuration-error.ts";
import type { RegisteredListener } from "./listener.ts";
import type { AppSettings } from "./app-settings.ts";
import type { Reject, Serve } from "../exchange/transport.ts";

/** A page that a feature serves for readers, such as the documentation. */
export interface AppLink {
  readonly name: string;
  readonly path: string;
}

/** Facts for the banner about an app that has started. */
export interface AppReport {
  /** Number of routes that the program registered. */
  readonly routes: number;
  /** Names of the enabled features. */
  readonly features: readonly string[];
  /** Pages of features that the banner shows. */
  readonly links: readonly AppLink[];
  /** Findings that an operator should know of, though the app runs. */
  readonly warnings: readonly Problem[];
  /** Whether the app has a readiness endpoint, so that a drain must leave probes time to see it turn 503. */
  readonly needsReadinessDelay: boolean;
}

/** The face of an app that `run` needs: it starts, serves, drains and stops it, and knows nothing else about it. */
export interface Runnable {
  /** Ports of features; complete when `run` is called. */
  readonly listeners: readonly RegisteredListener[];
  /** Every mistake of the app under these settings; nothing is started, and the app may still be changed and started. */
  check(settings: AppSettings): readonly Problem[];
  /** Reports all configuration mistakes at once, then runs the start tasks; throws when the app cannot serve. */
  start(settings: AppSettings): Promise<void>;
  /** Runs the listening tasks, once the port is open; throws when one fails. */
  listen(): Promise<void>;
  /** Answers one request; read after `start`. */
  readonly serve: Serve;
  /** Reply to a request that no handler may see, such as a malformed one. */
  readonly reject: Reject;
  /** Calls the drain listeners: readiness turns 503, requests are still served. Resolves to whether all settled within `limitMs`. */
  drain(limitMs: number): Promise<boolean>;
  /** Ends event streams in order and aborts `request.draining`. */
  endStreams(): void;
  /** Ends a start that is under way: `start` or `listen` rejects with CORE_START_ABANDONED, about a second later if a task ignores its signal. */
  abandon(): void;
  /** Waits for drain listeners and background tasks, then runs the stop tasks of all that had begun, in reverse and always to the end. */
  stop(): Promise<void>;
  report(): AppReport;
}
