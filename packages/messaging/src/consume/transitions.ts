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

/** What the transitions of entries need. */
export interface TransitionParts extends Pick<
  FlowParts,
  "clock" | "random" | "log" | "capabilities" | "counts" | "retry" | "retryTopics" | "bury" | "postpone"
> {
  readonly lanes: Lanes;
  readonly intake: Intake;
  readonly settler: Settler;
  readonly committer: Committer;
  /** Whether the broker commits positions instead of single deliveries. */
  readonly isCumulative: boolean;
  /** Aborts when the process gives up what it holds. */
  readonly giveUp: AbortSignal;
  /** Whether nothing starts any more. */
  readonly isStopped: () => boolean;
  /** Pauses the subscription. */
  readonly pauseFor: (ms: number) => void;
  /** Starts what may run now. */
  readonly pump: () => void;
}

/** A message is stored elsewhere, its delivery is settled too, or it must stay here. */
type Departed = "stored" | "settled" | "refused";

/** What becomes of an entry after a try: it is done, waits for the next try here or at the broker, becomes a dead letter, or is lost. */
export class Transitions {
  private readonly parts: TransitionParts;
  /** Departures that are under way: the settlement of each follows. */
  private readonly departures = new Set<Promise<void>>();

  constructor(parts: TransitionParts) {
    this.parts = parts;
  }

  /** Decides what follows from the outcome of a try. */
  decide(entry: Entry, outcome: Outcome): void {
    const { counts } = this.parts;
    if (outcome.kind === "done") {
      counts.done++;
      return this.finish(entry);
    }
    const pauseMs = openCircuitMs(outcome.error);
    if (pauseMs !== null) {
      this.parts.pauseFor(pauseMs); // the message is not to blame: the try does not count
      return this.hold(entry, pauseMs);
    }
    if (outcome.kind === "retry" && outcome.counts === false) return this.hold(entry, outcome.delayMs ?? 0);
    entry.tries++;
    if (outcome.kind === "reject") return this.bury(entry, outcome.error);
    this.failed(entry, outcome.error, outcome.delayMs);
  }

  private failed(entry: Entry, error: unknown, wantedMs: number | null): void {
    const { retry, random, log, counts } = this.parts;
    const next = nextTry(retry, { tries: entry.tries, random: random(), wantedMs });
    if (next.kind === "exhausted") return this.bury(entry, error);
    counts.retries++;
    const { topic } = entry.delivery;
    log.warn("messaging: a message failed and is tried again", { topic, tries: entry.tries, error });
    entry.renewSignal();
    if (next.kind === "quick") return this.hold(entry, next.delayMs);
    this.delay(entry, next.delayMs);
  }

  /** Has the broker keep the message until its next try where it can; otherwise this process holds it. */
  private delay(entry: Entry, delayMs: number): void {
    const { isCumulative, retryTopics, capabilities } = this.parts;
    const { maxRetryDelayMs, retryKeepsOrder } = capabilities;
    const canRetry = !isCumulative && maxRetryDelayMs >= delayMs;
    if (canRetry && (entry.lane === null || retryKeepsOrder)) return this.giveBack(entry, delayMs);
    const topic = retryTopicFor(retryTopics, delayMs);
    if (topic === null) return this.hold(entry, delayMs);
    this.postpone(entry, { topic, delayMs });
  }

  /** Sends an entry to the retry topic of its next try. */
  postpone(entry: Entry, to: Postponement): void {
    const { postpone } = this.parts;
    this.depart(
      entry,
      async (signal) => ((await postpone(entry, to, signal)) ? "stored" : "refused"),
      to.delayMs,
    );
  }

  /** Gives an entry back to the broker, and those behind it in its lane. */
  private giveBack(entry: Entry, delayMs: number): void {
    const behind = entry.lane === null ? [] : this.parts.lanes.takeBehind(entry.lane);
    for (const each of [entry, ...behind]) {
      each.state = "settling";
      this.parts.settler.add({ delivery: each.delivery, action: "retry", delayMs, tries: each.tries });
      this.parts.intake.endsNow(each);
    }
    this.parts.lanes.free(entry);
  }

  /** Waits until no message is on its way to another place. */
  async allDeparted(): Promise<void> {
    while (this.departures.size > 0) await Promise.all(this.departures);
  }

  /** Has a message stored elsewhere. @param holdMs time for which this process holds it when that is refused */
  private depart(entry: Entry, store: (signal: AbortSignal) => Promise<Departed>, holdMs = 0): void {
    entry.state = "waiting";
    entry.renewSignal(); // the time limit of its last try does not end this
    const departure = store(AbortSignal.any([this.parts.giveUp, entry.signal]))
      .then(
        (departed) => (departed === "refused" ? this.stays(entry, holdMs) : this.closed(entry, departed)),
        () => {}, // only when it is lost or the process gives up: the broker delivers it again
      )
      .finally(() => this.departures.delete(departure));
    this.departures.add(departure);
  }

  /** Ends an entry whose message is safe elsewhere. */
  private closed(entry: Entry, departed: Departed): void {
    if (entry.isLost) return; // which freed its lane
    if (departed === "stored") this.finish(entry);
    else {
      this.parts.lanes.free(entry);
      this.over(entry);
    }
    this.parts.pump();
  }

  private stays(entry: Entry, holdMs: number): void {
    if (entry.isLost) return;
    entry.renewSignal();
    this.hold(entry, holdMs);
  }

  /** Keeps an entry, and its lane, until its next try. */
  hold(entry: Entry, delayMs: number, due: () => void = () => this.parts.lanes.again(entry)): void {
    entry.state = "waiting";
    if (this.parts.isStopped()) return;
    entry.cancelWait = this.parts.clock.after(delayMs, () => {
      entry.cancelWait = null;
      if (entry.isLost) return;
      entry.state = "queued";
      due();
      this.parts.pump();
    });
  }

  private bury(entry: Entry, error: unknown): void {
    const { counts, log, bury } = this.parts;
    counts.deadLettered++;
    log.error("messaging: a message became a dead letter", {
      topic: entry.delivery.topic,
      tries: entry.tries,
      error,
    });
    this.depart(entry, async (signal) => ((await bury(entry, error, signal)) ? "settled" : "stored"));
  }

  /** Settles an entry as done. */
  private finish(entry: Entry): void {
    this.parts.lanes.free(entry);
    if (entry.isLost) return;
    if (entry.isSettled) return this.over(entry);
    entry.state = "settling";
    if (!this.parts.isCumulative) {
      this.parts.settler.add({ delivery: entry.delivery, action: "done" });
      return this.parts.intake.endsNow(entry);
    }
    const window = this.parts.intake.windows.get(entry.delivery.partition ?? "");
    window?.finish(entry);
    this.over(entry);
    if (window !== undefined) this.parts.committer.finished(window);
  }

  /** Ends an entry whose settlement is at the broker. */
  settled({ delivery }: Settlement): void {
    if (this.parts.isCumulative) return;
    const entry = this.parts.intake.entryOf(delivery);
    if (entry !== null) this.over(entry);
  }

  private over(entry: Entry): void {
    entry.state = "over";
    this.parts.intake.release(entry);
  }

  /** Ends entries that the broker took away. */
  lost(entries: readonly Entry[]): void {
    const reason = messagingError("MESSAGING_LOST", "the broker gave the message to another consumer");
    for (const entry of entries) {
      const { state } = entry;
      entry.state = "over";
      entry.cancelWait?.();
      entry.abort(reason);
      if (state === "waiting") this.parts.lanes.free(entry);
    }
    this.parts.counts.lost += entries.length;
    this.parts.pump();
  }
}
