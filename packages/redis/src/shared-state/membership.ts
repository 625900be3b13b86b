/** Milliseconds for which a process counts itself as a member after it sent its last successful renewal. */
export const LEASE_MS = 4000;
/** Lifetime of a membership at the server, in milliseconds: longer than the lease, so that no process outlives its membership. */
export const MEMBER_MS = 6000;

/** A member as the server lists it. */
export interface MemberRow {
  readonly id: string;
  /** Milliseconds until its membership ends; 0 or less if it has ended. */
  readonly leftMs: number;
  /** Whether it announced its departure. */
  readonly hasLeft: boolean;
}

/** Processes that are no longer members. */
export interface Departures {
  /** Processes whose membership expired. */
  readonly expired: readonly string[];
  /** Processes that announced their departure. */
  readonly departed: readonly string[];
}

/**
 * The processes that may use copies of shared data, so that a publisher has to wait for them.
 *
 * The server's list alone is not sufficient: after a restart it is empty, although all processes still run. So a process that is missing from the list stays a
 * member until a lease has passed: if it still runs, it has listed itself again by then, or knows that it is no longer a member.
 */
export class Membership {
  /** Time since which a member is missing from the list; `null` while it is listed. */
  private readonly missingSince = new Map<string, number | null>();

  get ids(): readonly string[] {
    return [...this.missingSince.keys()];
  }

  /** Applies the server's list. Returns the processes that are no longer members. */
  update(rows: readonly MemberRow[], now: number): Departures {
    const [expired, departed]: [string[], string[]] = [[], []];
    const listedIds = new Set<string>();
    for (const { id, leftMs, hasLeft } of rows) {
      listedIds.add(id);
      if (!hasLeft && leftMs > 0) this.missingSince.set(id, null);
      else if (this.missingSince.delete(id)) (hasLeft ? departed : expired).push(id);
    }
    for (const [id, since] of this.missingSince) {
      if (listedIds.has(id)) continue;
      if (since === null) this.missingSince.set(id, now);
      else if (now - since >= LEASE_MS && this.missingSince.delete(id)) expired.push(id);
    }
    return { expired, departed };
  }

  /** Adds a process that has announced itself. */
  add(id: string): void {
    this.missingSince.set(id, null);
  }

  /** Removes a process that announced its departure. */
  remove(id: string): void {
    this.missingSince.delete(id);
  }
}
