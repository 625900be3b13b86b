/** The events that an attempt of a command has appended. */
export class AppendLog {
  /** Position of the last event; `null` when nothing was appended. */
  position: string | null = null;
  /** Types of the events. */
  readonly types: Set<string> = new Set();

  /** Notes an append. @param position that of its last event; positions sort as text */
  add(position: string | null, types: Iterable<string>): void {
    if (position === null) return;
    if (this.position === null || position > this.position) this.position = position;
    for (const type of types) this.types.add(type);
  }
}
