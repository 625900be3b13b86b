import { FrameworkError } from "@framework/core";

/** An error of a call that has no reply to return. `code` says which; `status` is the one that a handler should answer with. */
export class ClientError extends FrameworkError {
  override readonly name: string = "ClientError";
  /** Status for the reply of a handler that does not handle the error: 502, 503 or 504. */
  readonly status: number;

  constructor(code: string, message: string, options: ErrorOptions & { readonly status?: number } = {}) {
    super(code, message, options);
    this.status = options.status ?? 502;
  }
}
