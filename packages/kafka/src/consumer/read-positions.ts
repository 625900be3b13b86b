import type { KafkaMessage } from "kafkajs";
import type { Assignment } from "./kafka-delivery.ts";

/** Identifies a message that was read. */
interface Fingerprint {
  readonly offset: bigint;
  readonly timestamp: string;
  readonly bytes: number;
}

/** Tracks read and committed positions of assignments, to detect that offsets were reset. */
export class ReadPositions {
  /** Next offset according to confirmed commits. */
  private readonly committed = new WeakMap<Assignment, bigint>();
  /** Confirmed position when the current generation began. kafkajs fetches its first position after that, but maybe before a later commit. */
  private readonly starts = new WeakMap<Assignment, bigint | undefined>();
  /** First message that was read. */
  private readonly firsts = new WeakMap<Assignment, Fingerprint>();

  /** Records that a generation of the group begins in which the partition is assigned. */
  beginGeneration(assignment: Assignment): void {
    this.starts.set(assignment, this.committed.get(assignment));
  }

  /** Records the first message of a fetch, if it is the first fetch of the assignment. */
  recordFirst(assignment: Assignment, first: KafkaMessage): void {
    if (!this.firsts.has(assignment)) this.firsts.set(assignment, fingerprintOf(first));
  }

  /** Records a confirmed commit. */
  recordCommit(assignment: Assignment, offset: bigint): void {
    if (offset > (this.committed.get(assignment) ?? -1n)) this.committed.set(assignment, offset);
  }

  /**
   * Whether kafkajs has reset its position, because the topic was created again or its log was truncated: the first message of a fetch was already read in this
   * generation, or committed before it. Without a committed offset, a generation begins at the first message of the assignment; a different first message shows
   * that the topic was created again.
   *
   * @param last highest offset of the generation; -1 before its first fetch
   */
  isReset(assignment: Assignment, last: bigint, message: KafkaMessage): boolean {
    const found = fingerprintOf(message);
    const committed = this.starts.get(assignment);
    if (found.offset <= last || found.offset < (committed ?? -1n)) return true;
    const first = this.firsts.get(assignment);
    if (committed !== undefined || first === undefined || last >= 0n) return false;
    return found.offset < first.offset || (found.offset === first.offset && !isSame(found, first));
  }
}

const fingerprintOf = ({ offset, timestamp, value }: KafkaMessage): Fingerprint => ({
  offset: BigInt(offset),
  timestamp,
  bytes: value?.byteLength ?? -1,
});

const isSame = (one: Fingerprint, other: Fingerprint): boolean =>
  one.timestamp === other.timestamp && one.bytes === other.bytes;
