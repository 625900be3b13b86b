import { FrameworkError, type HttpRequest, type Key, key } from "@framework/core";
import { Trace } from "@framework/core/feature";
import type { Log } from "./log.ts";

/** The log of a request, created on first use. */
const RequestLog: Key<Log | null> = key<Log | null>("request_log", null);

/**
 * Returns the log of a request: the app's log, with the request's ids in every line. Every call returns the same log.
 *
 * @throws LOGGING_NOT_STARTED when the app does not have the feature, has not called `enableLogging`, or has not started
 * @example
 * logOf(request).info("book added", { title });
 */
export const logOf = (request: HttpRequest): Log => {
  const { context, requestId } = request;
  const known = context.get(RequestLog);
  if (known !== null) return known;
  const trace = context.get(Trace);
  const created = appLog(request.app).child({
    ...(requestId === null ? {} : { request_id: requestId }),
    ...(trace === null ? {} : { trace_id: trace.traceId, span_id: trace.spanId }),
  });
  context.set(RequestLog, created);
  return created;
};

/** An app with the feature: the log is a method of the app, so no registry of apps is needed. */
interface LoggingApp {
  log(): Log;
}

const appLog = (app: object): Log => {
  const log = (app as Partial<LoggingApp>).log?.();
  if (log === undefined) throw notStarted();
  return log;
};

/** The error of an app without a log. */
export const notStarted = (): FrameworkError =>
  new FrameworkError(
    "LOGGING_NOT_STARTED",
    "logging: call enableLogging() before the app starts, and use the log from the first start task on",
  );
