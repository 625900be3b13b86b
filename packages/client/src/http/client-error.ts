import { HttpError } from "@framework/core";

/** Error details for clients, by status. Names and addresses of other services appear only in the log. */
const details: Readonly<Record<number, string>> = {
  503: "An upstream service is not available",
  504: "An upstream service did not respond in time",
};
const FAILED = "An upstream service failed";

/** Codes of errors with which the client refuses a call. */
const refusals: ReadonlySet<string> = new Set([
  "CLIENT_BAD_PARAMETER",
  "CLIENT_BAD_URL",
  "CLIENT_CLOSED",
  "CLIENT_HOST_REFUSED",
  "CLIENT_TOO_MANY_CALLS",
]);

/**
 * Error of a call without a usable reply, identified by `code`. If a handler does not catch it, the reply has its `status`, 502, 503 or 504, and its `detail`,
 * which does not reveal the message. The message is logged.
 */
export class ClientError extends HttpError {
  override readonly name: string = "ClientError";
  override readonly detail: string;

  constructor(
    code: string,
    message: string,
    { status = 502, cause }: ErrorOptions & { readonly status?: number } = {},
  ) {
    super(status, message, { code, cause });
    this.detail = details[status] ?? FAILED;
  }

  /** Whether this client refused the call, so that `retry` and `breaker` do not count it as a failure of the service. */
  get isRefusal(): boolean {
    return refusals.has(this.code);
  }
}
