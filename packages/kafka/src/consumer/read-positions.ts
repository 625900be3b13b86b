import type { KafkaMessage } from "kafkajs";
import type { Tenure } from "./kafka-delivery.ts";

/** A message that was read, without its content. */
interface Trace {
  readonly offset: bigint;
  readonly timestamp: string;
  readonly bytes: number;
}

/** How far partitions were read and committed in their tenures, so that offsets that come again with other messages are recognised. */
export class ReadPositions {
  /** The next offset, as far as commits were confirmed. */
  private readonly committed = new WeakMap<Tenure, bigint>();
  /** What was confirmed when the present assignment began: the driver asks for its first position after that, but maybe before a later commit. */
  private readonly starts = new WeakMap<Tenure, bigint | undefined>();
  /** The first message that was read. */
  private readonly firsts = new WeakMap<Tenure, Trace>();

  /** Notes that an assignment begins, in which the tenure begins or goes on. */
  assigned(tenure: Tenure): void {
    this.starts.set(tenure, this.committed.get(tenure));
  }

  /** Notes that a fetch was taken. */
  took(tenure: Tenure, first: KafkaMessage): void {
    if (!this.firsts.has(tenure)) this.firsts.set(tenure, traceOf(first));
  }

  /** Notes a confirmed commit. */
  confirmed(tenure: Tenure, offset: bigint): void {
    if (offset > (this.committed.get(tenure) ?? -1n)) this.committed.set(tenure, offset);
  }

  /**
   * Whether the driver has reset its position, because the topic was created again or its log was cut: the first message of a fetch is one that was read in this
   * assignment, or committed before it. An assignment begins at the committed offset; without one, at the first message: another one is that of another topic.
   *
   * @param last highest offset of the assignment; -1 before its first fetch
   */
  isReset(tenure: Tenure, last: bigint, message: KafkaMessage): boolean {
    const found = traceOf(message);
    const committed = this.starts.get(tenure);
    if (found.offset <= last || found.offset < (committed ?? -1n)) return true;
    const first = this.firsts.get(tenure);
    if (committed !== undefined || first === undefined || last >= 0n) return false;
    return found.offset < first.offset || (found.offset === first.offset && !isSame(found, first));
  }
}

const traceOf = ({ offset, timestamp, value }: KafkaMessage): Trace => ({
  offset: BigInt(offset),
  timestamp,
  bytes: value?.byteLength ?? -1,
});

const isSame = (one: Trace, other: Trace): boolean =>
  one.timestamp === other.timestamp && one.bytes === other.bytes;
