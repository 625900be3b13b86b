import { messagingError } from "../errors/messaging-error.ts";
import type { Outcome } from "../message/outcome.ts";
import { openCircuitMs } from "../message/outcome-of-thrown.ts";
import type { Settlement } from "../port/delivery.ts";
import type { Committer } from "./committer.ts";
import type { Entry } from "./entry.ts";
import type { FlowParts, Postponement } from "./flow-parts.ts";
import type { Intake } from "./intake.ts";
import type { Lanes } from "./lanes.ts";
import { nextTry } from "./retry-rules.ts";
import { retryTopicFor } from "./retry-topics.ts";
import type { Settler } from "./settler.ts";

/** Dependencies of `Transitions`. */
export interface TransitionParts extends Pick<
  FlowParts,
  "clock" | "random" | "log" | "capabilities" | "counts" | "retry" | "retryTopics" | "deadLetter" | "postpone"
> {
  readonly lanes: Lanes;
  readonly intake: Intake;
  readonly settler: Settler;
  readonly committer: Committer;
  /** Whether the broker commits positions instead of single deliveries. */
  readonly isCumulative: boolean;
  /** Aborts when the process abandons its deliveries, at the end of a drain. */
  readonly giveUp: AbortSignal;
  /** Whether no handler starts any more. */
  readonly isStopped: () => boolean;
  /** Pauses the subscription. */
  readonly pauseFor: (ms: number) => void;
  /** Starts all entries that may run. */
  readonly pump: () => void;
}

/** Result of storing a message elsewhere: `stored`; `settled` if its delivery was settled as well; `refused` if the broker refused it permanently. */
type ForwardResult = "stored" | "settled" | "refused";

/** Changes the state of an entry after a try: settles it, holds it for the next try, returns it to the broker, makes it a dead letter, or drops it as lost. */
export class Transitions {
  private readonly parts: TransitionParts;
  /** Unconfirmed retries and dead letters; each is settled afterwards. */
  private readonly forwards = new Set<Promise<void>>();

  constructor(parts: TransitionParts) {
    this.parts = parts;
  }

  /** Applies the outcome of a try. */
  decide(entry: Entry, outcome: Outcome): void {
    const { counts } = this.parts;
    if (outcome.kind === "done") {
      counts.done++;
      return this.finish(entry);
    }
    const pauseMs = openCircuitMs(outcome.error);
    if (pauseMs !== null) {
      this.parts.pauseFor(pauseMs); // not caused by the message: the try does not count
      return this.hold(entry, pauseMs);
    }
    if (outcome.kind === "retry" && outcome.counts === false) return this.hold(entry, outcome.delayMs ?? 0);
    entry.tries++;
    if (outcome.kind === "reject") return this.deadLetter(entry, outcome.error);
    this.retryFailed(entry, outcome.error, outcome.delayMs ?? null); // a middleware of an untyped program may leave it out
  }

  private retryFailed(entry: Entry, error: unknown, requestedMs: number | null): void {
    const { retry, random, log, counts } = this.parts;
    const next = nextTry(retry, { tries: entry.tries, random: random(), requestedMs });
    if (next.kind === "exhausted") return this.deadLetter(entry, error);
    counts.retries++;
    const { topic } = entry.delivery;
    log.warn("messaging: a message failed and is tried again", { topic, tries: entry.tries, error });
    entry.renewSignal();
    if (next.kind === "quick") return this.hold(entry, next.delayMs);
    this.delay(entry, next.delayMs);
  }

  /** Leaves the message with the broker until its next try if the broker supports that; otherwise this process holds it. */
  private delay(entry: Entry, delayMs: number): void {
    const { isCumulative, retryTopics, capabilities } = this.parts;
    const { maxRetryDelayMs, retryKeepsOrder } = capabilities;
    const canRetry = !isCumulative && maxRetryDelayMs >= delayMs;
    if (canRetry && (entry.lane === null || retryKeepsOrder)) return this.returnToBroker(entry, delayMs);
    const topic = retryTopicFor(retryTopics, delayMs);
    if (topic === null) return this.hold(entry, delayMs);
    this.postpone(entry, { topic, delayMs });
  }

  /** Sends an entry to the retry topic of its next try. */
  postpone(entry: Entry, to: Postponement): void {
    const { postpone } = this.parts;
    this.forward(
      entry,
      async (signal) => ((await postpone(entry, to, signal)) ? "stored" : "refused"),
      to.delayMs,
    );
  }

  /** Returns an entry and the following ones of its lane to the broker. */
  private returnToBroker(entry: Entry, delayMs: number): void {
    const following = entry.lane === null ? [] : this.parts.lanes.takeFollowing(entry.lane);
    for (const each of [entry, ...following]) {
      if (each.isReleased) continue; // lost while it waited for the first one
      each.state = "settling";
      this.parts.settler.add({ delivery: each.delivery, action: "retry", delayMs, tries: each.tries });
      this.parts.intake.markEnding(each);
    }
    this.parts.lanes.free(entry);
  }

  /** Waits until all retries and dead letters are confirmed. */
  async untilAllForwarded(): Promise<void> {
    while (this.forwards.size > 0) await Promise.all(this.forwards);
  }

  /** Stores a message elsewhere, then settles its delivery. @param holdMs time for which this process holds the message if the broker refuses it */
  private forward(entry: Entry, store: (signal: AbortSignal) => Promise<ForwardResult>, holdMs = 0): void {
    entry.state = "waiting";
    entry.renewSignal(); // the time limit of the last try must not abort the send
    const forwarding = store(AbortSignal.any([this.parts.giveUp, entry.signal]))
      .then(
        (result) =>
          result === "refused" ? this.holdRefused(entry, holdMs) : this.endForwarded(entry, result),
        () => {}, // rejects only if the entry is lost or the drain ends: the broker delivers it again
      )
      .finally(() => this.forwards.delete(forwarding));
    this.forwards.add(forwarding);
  }

  /** Ends an entry whose message is stored elsewhere. */
  private endForwarded(entry: Entry, result: ForwardResult): void {
    if (entry.isReleased) return; // `dropLost` has freed its lane
    if (result === "stored") this.finish(entry);
    else {
      this.parts.lanes.free(entry);
      this.releaseEntry(entry);
    }
    this.parts.pump();
  }

  private holdRefused(entry: Entry, holdMs: number): void {
    if (entry.isReleased) return;
    entry.renewSignal();
    this.hold(entry, holdMs);
  }

  /** Holds an entry, and its lane, until its next try. */
  hold(entry: Entry, delayMs: number, onDue: () => void = () => this.parts.lanes.requeue(entry)): void {
    entry.state = "waiting";
    if (this.parts.isStopped()) return;
    entry.cancelWait = this.parts.clock.after(delayMs, () => {
      entry.cancelWait = null;
      if (entry.isReleased) return;
      entry.state = "queued";
      onDue();
      this.parts.pump();
    });
  }

  private deadLetter(entry: Entry, error: unknown): void {
    const { counts, log, deadLetter } = this.parts;
    counts.deadLettered++;
    log.error("messaging: a message became a dead letter", {
      topic: entry.delivery.topic,
      tries: entry.tries,
      error,
    });
    this.forward(entry, async (signal) => ((await deadLetter(entry, error, signal)) ? "settled" : "stored"));
  }

  /** Settles an entry as done. */
  private finish(entry: Entry): void {
    this.parts.lanes.free(entry);
    if (entry.isReleased) return;
    if (entry.isSettled) return this.releaseEntry(entry);
    entry.state = "settling";
    if (!this.parts.isCumulative) {
      this.parts.settler.add({ delivery: entry.delivery, action: "done" });
      return this.parts.intake.markEnding(entry);
    }
    const window = this.parts.intake.windows.get(entry.delivery.partition ?? "");
    window?.finish(entry);
    this.releaseEntry(entry);
    if (window !== undefined) this.parts.committer.commitIfDue(window);
  }

  /** Ends an entry whose settlement the broker has recorded. */
  endSettled({ delivery }: Settlement): void {
    if (this.parts.isCumulative) return;
    const entry = this.parts.intake.entryOf(delivery);
    if (entry !== null) this.releaseEntry(entry);
  }

  private releaseEntry(entry: Entry): void {
    entry.state = "released";
    this.parts.intake.release(entry);
  }

  /** Ends entries that the broker gave to another consumer. */
  dropLost(entries: readonly Entry[]): void {
    const reason = messagingError("MESSAGING_LOST", "the broker gave the message to another consumer");
    for (const entry of entries) {
      const { state } = entry;
      entry.state = "released";
      entry.cancelWait?.();
      entry.abort(reason);
      if (state === "waiting") this.parts.lanes.free(entry);
    }
    this.parts.counts.lost += entries.length;
    this.parts.pump();
  }
}
