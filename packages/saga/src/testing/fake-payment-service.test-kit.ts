// A fake external service that honours idempotency keys, for crash tests.

/** Records effects by idempotency key: repeated calls with a key have one effect. */
export class FakePaymentService {
  /** Every call in order, including repeated ones. */
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

  /** All effects in the order in which they took place, including undos of calls that had none. */
  get effectsInOrder(): readonly string[] {
    return Array.from(this.effects);
  }
}
