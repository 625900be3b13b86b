// A world outside the database, for crash tests: it honours idempotency keys, as a payment service does.

/** Effects by key; a key has its effect once, however often it is called. */
export class Ledger {
  /** Every call, in order, repeated ones too. */
  readonly calls: string[] = [];
  private readonly effects = new Set<string>();

  call(key: string): string {
    this.calls.push(key);
    this.effects.add(key);
    return `done ${key}`;
  }

  /** Whether a key has taken effect. */
  has(key: string): boolean {
    return this.effects.has(key);
  }

  /** Keys that took effect and were not undone. */
  get net(): readonly string[] {
    return Array.from(this.effects)
      .filter((key) => !key.endsWith(":undo") && !this.effects.has(`${key}:undo`))
      .toSorted();
  }

  /** Undos of keys that never took effect: permitted, because undo accepts "maybe never happened". */
  get effectsInOrder(): readonly string[] {
    return Array.from(this.effects);
  }
}
