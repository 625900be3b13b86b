/** A message that is not acknowledged by all members yet. */
export class OpenMessage {
  readonly envelope: string;
  /** Resolves with whether every member has acknowledged it. */
  readonly ended: Promise<boolean>;
  private readonly end: PromiseWithResolvers<boolean> = Promise.withResolvers<boolean>();
  /** Members without an acknowledgement; empty until the recipients are known. */
  private readonly awaited = new Set<string>();
  /** Members that acknowledged before the recipients were known. */
  private readonly early = new Set<string>();
  private isKnown = false;
  private isLost = false;

  constructor(envelope: string) {
    this.envelope = envelope;
    this.ended = this.end.promise;
    this.ended.catch(() => {}); // the publisher may have failed before it waits
  }

  get missing(): ReadonlySet<string> {
    return this.awaited;
  }

  /** Sets the recipients. */
  awaits(members: readonly string[]): void {
    for (const member of members) if (!this.early.has(member)) this.awaited.add(member);
    this.isKnown = true;
    this.check();
  }

  acknowledge(member: string): void {
    if (!this.isKnown) this.early.add(member);
    else if (this.awaited.delete(member)) this.check();
  }

  /** Stops waiting for a member that lost its membership. */
  lose(member: string): void {
    if (!this.awaited.has(member)) return;
    this.isLost = true;
    this.acknowledge(member);
  }

  /** Ends the wait for all members. */
  giveUp(): void {
    this.end.resolve(false);
  }

  fail(error: Error): void {
    this.end.reject(error);
  }

  private check(): void {
    if (this.awaited.size === 0) this.end.resolve(!this.isLost);
  }
}
