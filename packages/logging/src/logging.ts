import type { AppSettings, HttpRequest, Middleware, Response } from "@framework/core";
import {
  type ConfigInput,
  type Feature,
  type ReadTrace,
  systemClock,
  unusedFields,
  waitsOnce,
} from "@framework/core/feature";
import { jsonAccessLine, textAccessLine } from "./access-line.ts";
import { isoClock } from "./clock.ts";
import { createDetails } from "./details.ts";
import { LineWriter } from "./line-writer.ts";
import { createLog, frameworkLogger, type Log } from "./log.ts";
import { LoggingConfig } from "./logging-config.ts";
import { logRequests } from "./log-requests.ts";
import { fileOutlet, streamOutlet } from "./outlet.ts";
import { createRedaction } from "./redaction.ts";
import { notStarted } from "./request-log.ts";
import { textLine } from "./text-line.ts";

/** The methods that the feature adds to an app. */
export interface Logging {
  /**
   * Writes a line for every request, and writes all lines of the app and the framework to one stream.
   *
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableLogging(config?: ConfigInput<LoggingConfig>): this;
  /**
   * The log of the app, available from its first start task on; `logOf(request)` is the log of a request.
   *
   * @throws LOGGING_NOT_STARTED before the app starts, and without `enableLogging`
   */
  log(): Log;
}

/**
 * One structured line per request, and a log for the application, through pino.
 *
 * @example
 * const app = new (App.with(logging))().enableLogging();
 * app.post("/books", (request) => logOf(request).info("book added", { title: "Emma" }));
 */
export const logging: Feature<Logging> = {
  name: "logging",
  install: (host) => {
    let log: Log | null = null;
    return {
      enableLogging(input) {
        const config = host.configure(LoggingConfig, input);
        if (!config.logBody)
          for (const problem of unusedFields(LoggingConfig, input, ["maxLoggedBodyBytes"], "logBody"))
            host.problem(problem);
        const requests = replaceable();
        const trace: ReadTrace = () => host.insight.currentTrace();
        const lines = new LogStream(config, trace, (started) => {
          log = started.log;
          requests.replace(started.middleware);
        });
        host.http.use("log", requests.middleware);
        host.life
          .onStart({ name: "logging", run: (settings) => lines.begin(settings) })
          .onStop({ name: "logging", run: () => lines.end() });
        host.insight.metric({
          name: "log_lines_dropped_total",
          help: "Log lines that were dropped because their destination was slow or lost.",
          type: "counter",
          read: () => lines.dropped,
        });
        return this;
      },
      log() {
        if (log === null) throw notStarted();
        return log;
      },
    };
  },
};

/** Middleware whose implementation is set at start. */
const replaceable = () => {
  let current: Middleware<HttpRequest, Response> = pass;
  return {
    middleware: waitsOnce<Middleware<HttpRequest, Response>>((request, next) => current(request, next)),
    replace(middleware: Middleware<HttpRequest, Response> | null) {
      if (middleware !== null) current = middleware;
    },
  };
};

const pass: Middleware<HttpRequest, Response> = (request, next) => next(request);

interface StartedLog {
  readonly log: Log;
  readonly middleware: Middleware<HttpRequest, Response> | null;
}

/** Maximum time that stopping waits for a slow destination. */
const FLUSH_TIMEOUT_MS = 5000;

/** The log stream of one app, from its start to its stop. */
class LogStream {
  private readonly config: LoggingConfig;
  private readonly trace: ReadTrace;
  private readonly onStarted: (started: StartedLog) => void;
  private writer: LineWriter | null = null;
  private undo: (() => void) | null = null;

  constructor(config: LoggingConfig, trace: ReadTrace, onStarted: (started: StartedLog) => void) {
    this.config = config;
    this.trace = trace;
    this.onStarted = onStarted;
  }

  get dropped(): number {
    return this.writer?.dropped ?? 0;
  }

  async begin({ env, quiet, log: framework }: AppSettings): Promise<void> {
    const { destination, level, format, maxQueueBytes, redact, excludePaths } = this.config;
    const iso = isoClock(systemClock);
    const isCollected = isStandard(destination) && framework.collect !== undefined;
    const terminal = isTerminal(destination);
    const text =
      !isCollected && (format === "text" || (format === "auto" && env === "development" && terminal));
    const colours = text && terminal && (process.env["NO_COLOR"] ?? "") === "";
    const shape = text ? (json: string) => textLine(json, colours) : (json: string) => json;
    const lossLine = (lost: number): string =>
      shape(`{"level":"warn","timestamp":"${iso()}","message":"log lines were dropped","dropped":${lost}}\n`);
    const outlet = typeof destination === "number" ? fileOutlet(destination) : streamOutlet(destination);
    const writer = new LineWriter({ outlet, maxQueueBytes, lossLine });
    const write = (line: string): void => (isCollected ? framework.collect?.(line) : writer.add(line));
    const redaction = createRedaction(redact);
    const log = await createLog({
      level,
      iso,
      redaction,
      trace: this.trace,
      write: text ? (json) => write(shape(json)) : write,
    });
    const line = text ? textAccessLine(iso, colours) : jsonAccessLine(iso);
    const details = createDetails(this.config, redaction);
    const silent = quiet === true || level === "silent";
    this.writer = writer;
    this.onStarted({
      log,
      middleware: silent ? null : logRequests({ level, excludePaths, line, write, details }),
    });
    const undoRedirect = framework.redirect?.(frameworkLogger(log));
    process.on("exit", writer.flushSync);
    this.undo = () => {
      undoRedirect?.();
      process.off("exit", writer.flushSync);
    };
  }

  async end(): Promise<void> {
    await this.writer?.flush(FLUSH_TIMEOUT_MS);
    this.writer?.flushSync();
    this.undo?.();
  }
}

const isStandard = (destination: LoggingConfig["destination"]): boolean =>
  destination === 1 || destination === 2;

const isTerminal = (destination: LoggingConfig["destination"]): boolean => {
  if (destination === 1) return process.stdout.isTTY;
  return destination === 2 && process.stderr.isTTY;
};
