const SECOND = 1000;
const DAY = 86_400_000;

/**
 * Local time of an IANA time zone, from the time zone data of the runtime.
 *
 * Instants are Unix milliseconds. A wall time is the local time of the zone, in milliseconds as if it were UTC. An offset is the wall time minus the instant.
 */
export class TimeZone {
  readonly name: string;
  private readonly format: Intl.DateTimeFormat;

  /** @throws RangeError for an unknown name */
  constructor(name: string) {
    this.name = name;
    this.format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  }

  /** Returns the offset at an instant: positive east of Greenwich. */
  offsetAt(instant: number): number {
    const named = this.format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const match = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(named);
    if (match === null) return 0; // GMT
    const [, sign, hours, minutes, seconds = "0"] = match;
    const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * SECOND;
    return sign === "-" ? -size : size;
  }

  /**
   * Returns the first instant after `from`, up to `to`, with another offset; `null` if there is none. `from` and `to` must be at most two days apart, so that
   * there is at most one change.
   */
  transition(from: number, to: number): number | null {
    const before = this.offsetAt(from);
    if (this.offsetAt(to) === before) return null;
    let [low, high] = [from, to];
    while (high - low > SECOND) {
      const middle = Math.floor((low + high) / 2 / SECOND) * SECOND;
      const at = middle > low ? middle : low + SECOND;
      if (this.offsetAt(at) === before) low = at;
      else high = at;
    }
    return Math.floor(high / SECOND) * SECOND;
  }

  /** Returns the instant of a wall time: the first one for a repeated time, and the end of the gap for a skipped one. */
  instantOf(wall: number): number {
    const [before, after] = [this.offsetAt(wall - DAY), this.offsetAt(wall + DAY)];
    const instants = [wall - before, wall - after].sort((a, b) => a - b);
    const [found] = instants.filter((instant) => instant + this.offsetAt(instant) === wall);
    return found ?? this.transition(wall - DAY, wall + DAY) ?? wall - before;
  }
}
