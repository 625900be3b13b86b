import { FrameworkError } from "@framework/core";

/** This process does not own a lease any more: its write is refused, and another process may go on. */
export class LeaseLostError extends FrameworkError {
  override readonly name = "LeaseLostError";

  constructor(lease: string, reason: string) {
    super("DURABLE_LEASE_LOST", `durable: the lease "${lease}" was lost: ${reason}`);
  }
}
