import type { Problem } from "../errors/configuration-error.ts";
import type { AppSettings } from "./app-settings.ts";
import type { Reject, Serve } from "../exchange/transport.ts";

/** What the banner tells about an app that has started. */
export interface AppReport {
  /** Number of routes that the program registered. */
  readonly routes: number;
  /** Names of the features that are on. */
  readonly features: readonly string[];
  /** Path or URL of the API documentation, when there is one. */
  readonly docsUrl?: string;
  /** What an operator should know, though the app runs. */
  readonly warnings: readonly Problem[];
  /** Whether somebody probes readiness, so that a drain must leave time to see it turn 503. */
  readonly needsReadinessDelay: boolean;
}

/** The face of an app that `run` needs: it starts, serves, drains and stops it, and knows nothing else about it. */
export interface Runnable {
  /** Every mistake of the app under these settings; nothing is started, and the app may still be changed and started. */
  check(settings: AppSettings): readonly Problem[];
  /** Reports all configuration mistakes at once, then runs the startup tasks; throws when the app cannot serve. */
  start(settings: AppSettings): Promise<void>;
  /** Answers one request; read after `start`. */
  readonly serve: Serve;
  /** Reply to a request that no handler may see, such as a malformed one. */
  readonly reject: Reject;
  /** Turns readiness to 503; everything is still served. */
  drain(): void;
  /** Ends background tasks and runs the shutdown hooks in reverse, always to the end. */
  stop(): Promise<void>;
  report(): AppReport;
}
