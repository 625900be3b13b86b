import { HttpError } from "@framework/core";

/** Sentences for clients, by status: names and addresses of other services are for the log. */
const details: Readonly<Record<number, string>> = {
  503: "A service that this one calls is not available",
  504: "A service that this one calls did not answer in time",
};
const FAILED = "A service that this one calls failed";

/** Codes of calls that the client refuses. */
const refusals: ReadonlySet<string> = new Set([
  "CLIENT_BAD_PARAMETER",
  "CLIENT_BAD_URL",
  "CLIENT_CLOSED",
  "CLIENT_HOST_REFUSED",
  "CLIENT_TOO_MANY_CALLS",
]);

/**
 * An error of a call that has no reply to return. `code` and `message` say which; a handler that lets it pass answers with `status`, 502, 503 or 504, and with
 * `detail`, which has nothing of the message. The message is logged then.
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
