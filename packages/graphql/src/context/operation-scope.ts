import type { GuardOptions, Invocation } from "@framework/core";
import type { HostState, OpenScope } from "@framework/core/feature";

/** The dependency scope of one operation. Its first resolver or loader opens it. */
export class OperationScope {
  readonly invocation: Invocation;
  readonly guardOptions: GuardOptions;
  private readonly state: Pick<HostState, "scope">;
  private opened: OpenScope | null = null;
  private isEnded = false;

  constructor(state: Pick<HostState, "scope">, invocation: Invocation, guardOptions: GuardOptions) {
    this.state = state;
    this.invocation = invocation;
    this.guardOptions = guardOptions;
  }

  /** The scope, opened on first access. After the end of the operation it is disposed immediately. */
  get open(): OpenScope {
    if (this.opened !== null) return this.opened;
    this.opened = this.state.scope(this.invocation);
    if (this.isEnded) void this.opened.dispose();
    return this.opened;
  }

  /** Ends the operation: its dependencies are disposed of once nothing uses them. Never rejects. */
  end(): void {
    this.isEnded = true;
    void this.opened?.dispose();
  }
}
