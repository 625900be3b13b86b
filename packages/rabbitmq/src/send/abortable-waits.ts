/** Ends waits when their signal aborts. Adds one listener for all waits of a signal, not one for each message. */
export class AbortableWaits<Wait> {
  private readonly onAborted: (wait: Wait) => void;
  private readonly groups = new Map<AbortSignal, Group<Wait>>();

  /** @param onAborted called with each wait whose signal aborts */
  constructor(onAborted: (wait: Wait) => void) {
    this.onAborted = onAborted;
  }

  add(signal: AbortSignal, wait: Wait): void {
    const known = this.groups.get(signal);
    if (known !== undefined) return void known.waits.add(wait);
    const waits = new Set([wait]);
    const onAbort = (): void => waits.forEach(this.onAborted);
    this.groups.set(signal, { waits, onAbort });
    signal.addEventListener("abort", onAbort, { once: true });
  }

  remove(signal: AbortSignal, wait: Wait): void {
    const group = this.groups.get(signal);
    group?.waits.delete(wait);
    if (group?.waits.size !== 0) return;
    signal.removeEventListener("abort", group.onAbort);
    this.groups.delete(signal);
  }
}

interface Group<Wait> {
  readonly waits: Set<Wait>;
  readonly onAbort: () => void;
}
