import { FrameworkError } from "./framework-error.ts";
import { reasonPhrase } from "../http/reason-phrase.ts";

/** Options of an `HttpError`; every other key becomes an extra member of the reply's body. */
export interface HttpErrorOptions {
  /** Header fields of the reply, such as `{ allow: "GET, HEAD" }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The underlying error, for the log only. */
  readonly cause?: unknown;
  /** `error` in the body. @default the status's reason phrase */
  readonly error?: string;
  /** Stable code for logs. @default `HTTP_<status>` */
  readonly code?: string;
  readonly [extra: string]: unknown;
}

/**
 * An error that becomes a reply: `{ error, detail, status, ...extras }` with `status`, 400 to 599.
 *
 * `detail` is one sentence for the client. The framework itself rejects requests only with HttpErrors.
 */
export class HttpError extends FrameworkError {
  override readonly name: string = "HttpError";
  /** Status of the reply. */
  readonly status: number;
  /**
   * The member `detail` of the body; hidden for the status 500, except with `debug` outside production. Equals the message unless a
   * subclass sets another text; the message is then only logged.
   */
  readonly detail: string;
  /** The member `error` of the body: the status's reason phrase, or the option `error`. */
  readonly error: string;
  /** Added to the reply's header fields. */
  readonly headers: Readonly<Record<string, string>>;
  /** Added to the members of the body. */
  readonly extras: Readonly<Record<string, unknown>>;

  constructor(status: number, detail: string, options: HttpErrorOptions = {}) {
    const { headers = {}, cause, error = reasonPhrase(status), code = `HTTP_${status}`, ...extras } = options;
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new FrameworkError(
        "CORE_BAD_STATUS",
        `the status of an HttpError must be an integer from 400 to 599, not ${String(status)}`,
      );
    }
    super(code, detail, cause === undefined ? undefined : { cause });
    this.status = status;
    this.detail = detail;
    this.error = error;
    this.headers = headers;
    this.extras = extras;
  }

  /** Whether a value has the shape of an HTTP error. */
  static override is(error: unknown): error is HttpError {
    if (!FrameworkError.is(error)) return false;
    try {
      return typeof (error as { status?: unknown }).status === "number" && "extras" in error;
    } catch {
      return false; // a proxy, or a getter that throws
    }
  }
}
