// More than 250 lines, because the messages, exits and replacements of workers together determine their states.
import { FrameworkError } from "../../errors/framework-error.ts";
import type { ToPrimary } from "./messages.ts";
import type { AppReport } from "../../lifecycle/runnable.ts";
import { timesOut } from "../../lifecycle/deadline.ts";
import { fromStartFailure, type StartFailure } from "../start/start-error.ts";
import { diedInDrain, type Member, servedMs } from "./member.ts";
import type { DrainCounts, SupervisorOptions } from "./supervisor-options.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** Additional milliseconds before the timer of a worker's drain kills it: during a stop of the service, the stop kills and counts hanging workers first. */
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
  /** Deadline of the stop in monotonic milliseconds, set when readiness turns 503. */
  private endsAt: number | null = null;
  private drained: DrainCounts = { cut: 0, late: 0, died: 0, errors: 0 };

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

  /** Replaces one ready worker, as `replaceAll` does, unless its replacement is starting already. */
  replaceOne(process: WorkerProcess): void {
    const all = [...this.members];
    const member = all.find((each) => each.process === process && each.phase === "ready");
    if (member === undefined) return;
    if (!all.some(({ slot, phase }) => slot === member.slot && phase === "starting"))
      this.replace(member.slot);
  }

  /** Asks every worker to reread its certificate; a worker that is starting reads the new one itself. */
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

  /** Drains every worker, or rolls back its start, within `timeoutMs`, then kills the rest. A `start` in progress rejects. */
  async stop(timeoutMs: number): Promise<DrainCounts & { readonly killed: number }> {
    this.halt();
    this.started.reject(
      new FrameworkError("CORE_START_ABANDONED", "the service was stopped while it started"),
    );
    this.drained = { cut: 0, late: 0, died: 0, errors: 0 }; // connections that replaced workers cut earlier do not belong to this stop
    // Workers get less time than the whole stop, so that they exit before they are killed.
    for (const member of this.members) this.requestStop(member, timeoutMs - Math.min(250, timeoutMs / 20));
    if (this.members.size === 0 || !(await timesOut(this.empty.promise, timeoutMs))) {
      return { killed: 0, ...this.drained };
    }
    const killed = this.members.size;
    this.kill();
    await this.empty.promise;
    return { killed, ...this.drained };
  }

  /** Kills every worker. */
  kill(): void {
    this.halt();
    for (const member of this.members) {
      member.isAccountedFor = true;
      member.process.kill();
    }
  }

  private halt(): void {
    this.stopping = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }

  private add(slot: number): void {
    const fork = this.options.fork({
      message: (message) => this.handle(member, message),
      exited: (how) => this.onExit(member, how),
    });
    const member: Member = { slot, process: fork, phase: "starting", hasReachedRun: false };
    this.members.add(member);
  }

  private replace(slot: number): void {
    if (this.stopping || this.endsAt !== null) return;
    for (const member of this.members) {
      if (member.slot === slot && member.phase === "starting") this.requestStop(member, this.options.drainMs);
    }
    this.add(slot);
  }

  /** Asks a worker to drain and exit. One whose program has not reached `run` has nothing to roll back and receives no messages: it is killed. */
  private requestStop(member: Member, timeoutMs: number): void {
    if (member.phase !== "starting" || member.hasReachedRun) return this.drain(member, timeoutMs);
    member.phase = "stopping";
    member.process.kill();
  }

  private handle(member: Member, message: ToPrimary): void {
    switch (message["@framework"]) {
      case "begun":
        member.hasReachedRun = true;
        return;
      case "ready":
        return this.becomeReady(member, message.report);
      case "failed":
        member.failure = message.failure;
        return;
      case "taken":
        return this.options.dispatcher.confirm(member.process, message.id);
      case "load":
        return this.options.meanLoads.report(member.process, message.load, message.listener);
      case "retire":
        return this.replaceOne(member.process);
      case "broken":
        if (member.phase === "ready") {
          this.stopDispatching(member);
          this.killAfterDrain(member, this.options.drainMs);
          this.restartLater(member.slot, servedMs(member));
        } else if (this.stopping && message.wasDraining) {
          this.drained = { ...this.drained, errors: this.drained.errors + 1 };
        }
        return;
      case "close":
        return this.options.onClose();
      case "drained":
        member.isAccountedFor = true;
        this.drained = {
          ...this.drained,
          cut: this.drained.cut + message.cut,
          late: this.drained.late + Number(message.late),
        };
    }
  }

  private becomeReady(member: Member, report: AppReport): void {
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

  private stopDispatching(member: Member): void {
    member.phase = "stopping";
    this.options.dispatcher.exclude(member.process);
  }

  private drain(member: Member, timeoutMs: number): void {
    this.stopDispatching(member);
    member.process.send({ "@framework": "drain", timeoutMs });
    this.killAfterDrain(member, timeoutMs);
  }

  /** Kills a worker that hangs, which would never exit. A separate timer, because a stop of the whole service clears the others. */
  private killAfterDrain(member: Member, timeoutMs: number): void {
    const timer = setTimeout(
      () => {
        if (this.members.has(member)) member.process.kill();
      },
      timeoutMs * 1.1 + AFTER_STOP_MS,
    );
    timer.unref();
  }

  private onExit(member: Member, how: string): void {
    const { phase, slot, process } = member;
    if (diedInDrain(member, how)) {
      this.options.log.error("a worker died while it drained", { worker: process.pid, how });
      this.drained = { ...this.drained, died: this.drained.died + 1 };
    }
    member.phase = "exited";
    this.members.delete(member);
    this.options.dispatcher.remove(process);
    this.options.meanLoads.remove(process);
    if (this.stopping && this.members.size === 0) this.empty.resolve();
    if (this.stopping || phase === "stopping") return;
    if (phase === "starting") return this.onEarlyExit(member, how);
    this.options.log.error("a worker died and is replaced", { worker: process.pid, how });
    this.restartLater(slot, servedMs(member));
  }

  private onEarlyExit({ slot, failure, process }: Member, how: string): void {
    const { log, policy, retries } = this.options;
    const ready = this.ready();
    if (!this.serving && ready.length === 0 && failure !== undefined) {
      return this.giveUp(failure);
    }
    const problems = failure === undefined ? undefined : textOf(failure);
    log.error("a worker ended before it was ready", { worker: process.pid, how, problems });
    if (ready.some((member) => member.slot === slot)) {
      log.warn("the previous worker continues", {
        worker: ready.find((member) => member.slot === slot)?.process.pid,
      });
      return;
    }
    if (!retries && this.serving) return log.warn("waiting for a change of the source files");
    if (!policy.countEarlyExit()) return this.restartLater(slot);
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
    if (this.serving) {
      this.options.log.error("the service ends: its workers cannot start", { problems: textOf(failure) });
      return this.options.onGiveUp();
    }
    this.started.reject(fromStartFailure(failure));
  }

  private restartLater(slot: number, afterMs = 0): void {
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        this.add(slot);
      },
      this.options.policy.countExit(slot, afterMs),
    );
    this.timers.add(timer);
  }
}

const textOf = ({ problems }: StartFailure): string =>
  problems.map(({ code, message }) => `${code}: ${message}`).join("; ");
