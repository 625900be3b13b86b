/** A message that some members have not acknowledged yet. */
export class OpenMessage {
  readonly envelope: string;
  /** Resolves with whether every member has acknowledged it. */
  readonly ended: Promise<boolean>;
  private readonly end: PromiseWithResolvers<boolean> = Promise.withResolvers<boolean>();
  /** Members without an acknowledgement; empty until the recipients are known. */
  private readonly awaited = new Set<string>();
  /** Members that acknowledged before the recipients were known. */
  private readonly earlyAcknowledgements = new Set<string>();
  private hasRecipients = false;
  private hasDropped = false;

  constructor(envelope: string) {
    this.envelope = envelope;
    this.ended = this.end.promise;
    this.ended.catch(() => {}); // the publisher may have failed before it waits
  }

  get missing(): ReadonlySet<string> {
    return this.awaited;
  }

  /** Sets the recipients. */
  setRecipients(members: readonly string[]): void {
    for (const member of members) if (!this.earlyAcknowledgements.has(member)) this.awaited.add(member);
    this.hasRecipients = true;
    this.check();
  }

  acknowledge(member: string): void {
    if (!this.hasRecipients) this.earlyAcknowledgements.add(member);
    else if (this.awaited.delete(member)) this.check();
  }

  /** Stops waiting for a member that lost its membership. */
  dropMember(member: string): void {
    if (!this.awaited.has(member)) return;
    this.hasDropped = true;
    this.acknowledge(member);
  }

  /** Ends the wait for all members. */
  stopWaiting(): void {
    this.end.resolve(false);
  }

  fail(error: Error): void {
    this.end.reject(error);
  }

  private check(): void {
    if (this.awaited.size === 0) this.end.resolve(!this.hasDropped);
  }
}
