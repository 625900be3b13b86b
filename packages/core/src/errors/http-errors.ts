import { isNamed } from "../http/field-values.ts";
import { HttpError, type HttpErrorOptions } from "./http-error.ts";

/** 400: an invalid value, such as malformed JSON. */
export class ValueError extends HttpError {
  override readonly name = "ValueError";
  constructor(detail: string, options?: HttpErrorOptions) {
    super(400, detail, options);
  }
}

/** Default `WWW-Authenticate` of a 401. */
export const DEFAULT_CHALLENGE = 'Bearer realm="Restricted"';

/** 401: missing, bad or expired credentials. `challenge` becomes `WWW-Authenticate`. */
export class UnauthorizedError extends HttpError {
  override readonly name = "UnauthorizedError";
  constructor(
    detail = "Authentication required",
    challenge: string = DEFAULT_CHALLENGE,
    options: HttpErrorOptions = {},
  ) {
    super(401, detail, { ...options, headers: withDefault("www-authenticate", challenge, options) });
  }
}

/** 403: valid credentials, but not allowed. */
export class ForbiddenError extends HttpError {
  override readonly name: string = "ForbiddenError";
  constructor(detail = "Access denied", options?: HttpErrorOptions) {
    super(403, detail, options);
  }
}

/** Rejection by a guard with its own message. @default status 403 */
export class GuardError extends HttpError {
  override readonly name = "GuardError";
  constructor(message: string, status = 403, options?: HttpErrorOptions) {
    super(status, message, options);
  }
}

/** 404: no such resource. */
export class NotFoundError extends HttpError {
  override readonly name = "NotFoundError";
  constructor(detail = "The resource does not exist", options?: HttpErrorOptions) {
    super(404, detail, options);
  }
}

/** 405: the path exists for the methods that `Allow` lists. */
export class MethodNotAllowedError extends HttpError {
  override readonly name = "MethodNotAllowedError";
  /** Methods for the reply's `Allow`. */
  readonly allowed: readonly string[];
  constructor(method: string, allowed: readonly string[]) {
    super(405, `${method} is not allowed here; use ${allowed.join(", ")}`, {
      headers: { allow: allowed.join(", ") },
    });
    this.allowed = allowed;
  }
}

/** One mistake in an input: its place, message and expected value. */
export interface ValidationIssue {
  /** Path from the outermost value: `["body", "year"]`. */
  readonly loc: readonly (string | number)[];
  /** Message of the issue. */
  readonly msg: string;
  /** Kind of the problem, such as `invalid_type`. */
  readonly type: string;
  /** Expected kind of value, if the schema states it. */
  readonly expected?: string;
  /** Kind of the received value, if known. */
  readonly received?: string;
}

/** 422: the input does not match its schema; `errors` lists the issues. */
export class ValidationError extends HttpError {
  override readonly name = "ValidationError";
  /** The problems with their places, at most 100. */
  readonly issues: readonly ValidationIssue[];
  constructor(issues: readonly ValidationIssue[]) {
    super(422, summary(issues), { errors: issues });
    this.issues = issues;
  }
}

const summary = (issues: readonly ValidationIssue[]): string => {
  const [first] = issues;
  if (first === undefined) return "The input is not valid";
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return `${first.loc.join(".")}: ${first.msg}${more}`;
};

/** 413: a body, or a part of one, above its limit in bytes. */
export class PayloadTooLargeError extends HttpError {
  override readonly name = "PayloadTooLargeError";
  constructor(limit: number, subject = "Request body") {
    super(413, `${subject} is larger than the limit of ${formatBytes(limit)}`);
  }
}

/** 415: a content type that the route does not support. */
export class UnsupportedMediaTypeError extends HttpError {
  override readonly name = "UnsupportedMediaTypeError";
  constructor(detail: string, options?: HttpErrorOptions) {
    super(415, detail, options);
  }
}

/** 429: too many requests; the client may retry after `retryAfterSecs`. */
export class RateLimitError extends HttpError {
  override readonly name = "RateLimitError";
  constructor(retryAfterSecs: number, detail = "Rate limit exceeded", options: HttpErrorOptions = {}) {
    super(429, detail, { ...options, ...retryAfter(retryAfterSecs, options) });
  }
}

/** 503: a circuit breaker is open; the client may retry after `retryAfterSecs`. */
export class CircuitOpenError extends HttpError {
  override readonly name = "CircuitOpenError";
  constructor(retryAfterSecs: number, detail = "Circuit open", options: HttpErrorOptions = {}) {
    super(503, detail, { ...options, ...retryAfter(retryAfterSecs, options) });
  }
}

/** 504: the handler exceeded its timeout. */
export class HandlerTimeoutError extends HttpError {
  override readonly name = "HandlerTimeoutError";
  constructor(limitSecs: number) {
    super(504, `The request took longer than ${limitSecs} s`);
  }
}

const retryAfter = (secs: number, options: HttpErrorOptions) => {
  const whole = Number.isFinite(secs) ? Math.max(1, Math.ceil(secs)) : 1;
  return { retry_after: whole, headers: withDefault("retry-after", String(whole), options) };
};

/** Adds a field to the headers of the options, unless they have it, in any case. */
const withDefault = (
  lowerName: string,
  value: string,
  { headers = {} }: HttpErrorOptions,
): Readonly<Record<string, string>> =>
  Object.keys(headers).some((name) => isNamed(name, lowerName))
    ? headers
    : { [lowerName]: value, ...headers };

/** Formats a byte count: `10.0MB`. */
export const formatBytes = (bytes: number): string => {
  const units = ["KB", "MB", "GB"];
  if (bytes < 1024) return `${bytes}B`;
  const power = Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), units.length);
  return `${(bytes / 1024 ** power).toFixed(1)}${units[power - 1]}`;
};
