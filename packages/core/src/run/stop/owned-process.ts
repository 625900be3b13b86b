import type { Logger } from "../../log/logger.ts";
import { ignoreOutputErrors, onEndSignals, onUncaught, type UncaughtKind } from "./signals.ts";

/** The reason why a process ends: a signal or an uncaught error. */
export type EndReason =
  | { readonly signal: NodeJS.Signals }
  | { readonly error: unknown; readonly kind: UncaughtKind };

/** The services that own this process: a program may run several. */
const owners = new Set<OwnedProcess>();

/** The highest exit code of the services that have ended; `null` while none has. */
let exitCode: number | null = null;

/**
 * The process of a service that owns it. From construction to `release`, SIGTERM, SIGINT and uncaught errors drain the service; a second
 * signal, at least 250 ms later, ends the process at once with 128 + its number.
 */
export class OwnedProcess {
  private readonly undo: readonly (() => void)[];
  private first: EndReason | undefined;
  private react: ((reason: EndReason) => void) | null = null;
  private abandon: () => void = () => {};
  private log: Pick<Logger, "error"> = console;

  constructor() {
    owners.add(this);
    this.undo = [
      onEndSignals({ stop: (signal) => this.end({ signal }), abandon: () => this.abandon() }),
      onUncaught(
        (error, kind) => this.end({ error, kind }),
        () => this.log,
      ),
      ignoreOutputErrors(),
    ];
  }

  /** The first reason to end, if any. */
  get endReason(): EndReason | undefined {
    return this.first;
  }

  /** Sets the reaction to the first signal and to each uncaught error, and the work before the exit on a second signal. */
  onEnd(react: (reason: EndReason) => void, abandon: () => void = () => {}): void {
    const earlier = this.react === null ? this.first : undefined;
    this.react = react;
    this.abandon = abandon;
    if (earlier !== undefined) react(earlier);
  }

  /** Sets the log for errors that do not end the process. @default console */
  logTo(log: Pick<Logger, "error">): void {
    this.log = log;
  }

  /** Ends the process with the highest exit code of its services, after the other services have drained. */
  exit(code: number): void {
    exitCode = Math.max(exitCode ?? code, code);
    for (const other of owners)
      if (other !== this && other.first === undefined) other.end({ signal: "SIGTERM" });
    this.leave();
  }

  /** Removes the handlers of signals and uncaught errors. Ends the process if the other services have ended and requested its exit. */
  release(): void {
    for (const off of this.undo) off();
    this.leave();
  }

  private leave(): void {
    owners.delete(this);
    if (owners.size === 0 && exitCode !== null) process.exit(exitCode);
  }

  private end(reason: EndReason): void {
    this.first ??= reason;
    this.react?.(reason);
  }
}
