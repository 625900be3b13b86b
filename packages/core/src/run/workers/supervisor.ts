import { FrameworkError } from "../../errors/framework-error.ts";
import type { ToPrimary } from "./messages.ts";
import type { AppReport } from "../../lifecycle/runnable.ts";
import { isLate } from "../../lifecycle/deadline.ts";
import { fromStartFailure, type StartFailure } from "../start/start-error.ts";
import type { Member } from "./member.ts";
import type { Drained, SupervisorOptions } from "./supervisor-options.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** A worker that hangs in a stop of the service is killed, and counted, by the stop; the timer of its drain comes later. */
const AFTER_STOP_MS = 100;

/** Keeps a fixed number of workers running: starts, replaces and stops them. It serves no requests. */
export class Supervisor {
  private readonly options: SupervisorOptions;
  private readonly members: Set<Member> = new Set();
  private readonly timers: Set<NodeJS.Timeout> = new Set();
  private readonly started: PromiseWithResolvers<AppReport> = Promise.withResolvers<AppReport>();
  private readonly empty: PromiseWithResolvers<void> = Promise.withResolvers<void>();
  private serving = false;
  private stopping = false;
  /** Time by which the stop must be over, once readiness has turned 503; monotonic milliseconds. */
  private endsAt: number | null = null;
  private drained: Drained = { cut: 0, late: 0 };

  constructor(options: SupervisorOptions) {
    this.options = options;
    this.started.promise.catch(() => {}); // `stop` may reject it before `start` returns it
  }

  /** Starts all workers; resolves with an app's report when every one is ready. Rejects if they cannot start. */
  start(): Promise<AppReport> {
    if (this.stopping) return this.started.promise;
    for (let slot = 0; slot < this.options.workers; slot++) this.add(slot);
    return this.started.promise;
  }

  /** Starts a new worker in each slot; the old one serves until the new one is ready, and continues if that never happens. */
  replaceAll(): void {
    for (let slot = 0; slot < this.options.workers; slot++) this.replace(slot);
  }

  /** Replaces one worker in the same way. */
  replaceOne(process: WorkerProcess): void {
    for (const member of this.members) {
      if (member.process === process && member.phase === "ready") this.replace(member.slot);
    }
  }

  /** Asks every worker to read its certificate anew; a worker that is starting reads the new one itself. */
  renewTls(): void {
    for (const { process } of this.members) process.send({ "@framework": "renew-tls" });
  }

  /**
   * Begins the drain in every worker: readiness turns 503, requests are still served. From now on only workers that die, or end after an uncaught
   * error, are replaced, and one that becomes ready later gets the same message.
   */
  unready(timeoutMs: number): void {
    this.endsAt = performance.now() + timeoutMs;
    for (const { process } of this.members) process.send({ "@framework": "unready", timeoutMs });
  }

  /** Lets every worker finish, or undo its start, within `timeoutMs`, then kills the rest. A `start` in progress rejects. */
  async stop(timeoutMs: number): Promise<Drained & { readonly killed: number }> {
    this.halt();
    this.started.reject(
      new FrameworkError("CORE_START_ABANDONED", "the service was stopped while it started"),
    );
    this.drained = { cut: 0, late: 0 }; // connections that replaced workers cut earlier do not belong to this stop
    // workers end a moment before they would be killed
    for (const member of this.members) this.dismiss(member, timeoutMs - Math.min(250, timeoutMs / 20));
    if (this.members.size === 0 || !(await isLate(this.empty.promise, timeoutMs))) {
      return { killed: 0, ...this.drained };
    }
    const killed = this.members.size;
    this.kill();
    await this.empty.promise;
    return { killed, ...this.drained };
  }

  /** Ends every worker at once. */
  kill(): void {
    this.halt();
    for (const { process } of this.members) process.kill();
  }

  private halt(): void {
    this.stopping = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }

  private add(slot: number): void {
    const fork = this.options.fork({
      message: (message) => this.handle(member, message),
      gone: (how) => this.lost(member, how),
    });
    const member: Member = { slot, process: fork, phase: "starting", begun: false };
    this.members.add(member);
  }

  private replace(slot: number): void {
    if (this.stopping || this.endsAt !== null) return;
    for (const member of this.members) {
      if (member.slot === slot && member.phase === "starting") this.dismiss(member, this.options.drainMs);
    }
    this.add(slot);
  }

  /** Asks a worker to end in order; one whose program has not reached `run` has nothing to undo and receives no messages. */
  private dismiss(member: Member, timeoutMs: number): void {
    if (member.phase !== "starting" || member.begun) return this.drain(member, timeoutMs);
    member.phase = "leaving";
    member.process.kill();
  }

  private handle(member: Member, message: ToPrimary): void {
    switch (message["@framework"]) {
      case "begun":
        member.begun = true;
        return;
      case "ready":
        return this.welcome(member, message.report);
      case "failed":
        member.failure = message.failure;
        return;
      case "taken":
        return this.options.dispatcher.confirm(member.process, message.id);
      case "load":
        return this.options.spread.report(member.process, message.load, message.listener);
      case "retire":
        return this.replaceOne(member.process);
      case "broken":
        if (member.phase === "ready") {
          this.leave(member);
          this.addLater(member.slot);
        }
        return;
      case "close":
        return this.options.onClose();
      case "drained":
        this.drained = {
          cut: this.drained.cut + message.cut,
          late: this.drained.late + Number(message.late),
        };
    }
  }

  private welcome(member: Member, report: AppReport): void {
    if (member.phase !== "starting" || this.stopping) return;
    member.phase = "ready";
    member.readyAt = performance.now();
    this.options.dispatcher.open(member.process);
    if (this.endsAt !== null) {
      const timeoutMs = Math.max(0, this.endsAt - performance.now());
      member.process.send({ "@framework": "unready", timeoutMs });
    }
    for (const other of this.members) {
      if (other !== member && other.slot === member.slot && other.phase === "ready") {
        this.drain(other, this.options.drainMs);
      }
    }
    if (this.ready().length < this.options.workers) return;
    this.serving = true;
    this.started.resolve(report);
  }

  private ready(): Member[] {
    return [...this.members].filter(({ phase }) => phase === "ready");
  }

  private leave(member: Member): void {
    member.phase = "leaving";
    this.options.dispatcher.shut(member.process);
  }

  private drain(member: Member, timeoutMs: number): void {
    this.leave(member);
    member.process.send({ "@framework": "drain", timeoutMs });
    // a hanging worker would stay for ever; a separate timer, because a stop of the whole service clears the others
    const timer = setTimeout(
      () => {
        if (this.members.has(member)) member.process.kill();
      },
      timeoutMs * 1.1 + AFTER_STOP_MS,
    );
    timer.unref();
  }

  private lost(member: Member, how: string): void {
    const { phase, slot, process } = member;
    member.phase = "gone";
    this.members.delete(member);
    this.options.dispatcher.gone(process);
    this.options.spread.remove(process);
    if (this.stopping && this.members.size === 0) this.empty.resolve();
    if (this.stopping || phase === "leaving") return;
    if (phase === "starting") return this.neverReady(member, how);
    this.options.log.error("a worker died; another one takes its place", { worker: process.pid, how });
    this.addLater(slot, performance.now() - (member.readyAt ?? Infinity));
  }

  private neverReady({ slot, failure, process }: Member, how: string): void {
    const { log, policy, retries } = this.options;
    const standing = this.ready();
    if (!this.serving && standing.length === 0 && failure !== undefined) {
      return this.giveUp(failure);
    }
    const problems = failure?.problems.map(({ code, message }) => `${code}: ${message}`).join("; ");
    log.error("a worker ended before it was ready", { worker: process.pid, how, problems });
    if (standing.some((member) => member.slot === slot)) {
      log.warn("the previous worker serves on", {
        worker: standing.find((member) => member.slot === slot)?.process.pid,
      });
      return;
    }
    if (!retries && this.serving) return log.warn("waiting for a change of the source files");
    if (!policy.diedTooOften()) return this.addLater(slot);
    this.giveUp(
      failure ?? {
        problems: [
          { code: "CORE_CRASH_LOOP", message: `workers keep ending before they are ready (last: ${how})` },
        ],
      },
    );
  }

  private giveUp(failure: StartFailure): void {
    this.halt();
    if (this.serving) return this.options.onGiveUp();
    this.started.reject(fromStartFailure(failure));
  }

  private addLater(slot: number, servedMs = 0): void {
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        this.add(slot);
      },
      this.options.policy.backoffMs(slot, servedMs),
    );
    this.timers.add(timer);
  }
}
