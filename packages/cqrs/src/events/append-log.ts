/** Records the events that an attempt of a command has appended. */
export class AppendLog {
  /** Position of the last event; `null` if nothing was appended. */
  position: string | null = null;
  /** Types of the events. */
  readonly types: Set<string> = new Set();

  /** Records an append. @param position position of its last event; positions compare as strings */
  add(position: string | null, types: Iterable<string>): void {
    if (position === null) return;
    if (this.position === null || position > this.position) this.position = position;
    for (const type of types) this.types.add(type);
  }
}
