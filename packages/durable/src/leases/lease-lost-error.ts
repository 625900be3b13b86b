import { FrameworkError } from "@framework/core";

/** This process no longer owns a lease: its write is refused, and another process may continue. */
export class LeaseLostError extends FrameworkError {
  override readonly name = "LeaseLostError";

  constructor(lease: string, reason: string) {
    super("DURABLE_LEASE_LOST", `durable: the lease "${lease}" was lost: ${reason}`);
  }
}
