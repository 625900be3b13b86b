import { type ChildProcess, fork } from "node:child_process";
import { batchedLink } from "../../shared-state/workers/batched-link.ts";
import type { PrimaryLink } from "../../shared-state/workers/primary-link.ts";
import type { Taker } from "./dispatcher.ts";
import { BRIEF_VARIABLE, isEnvelope, type ToPrimary, type ToWorker, type WorkerBrief } from "./messages.ts";
import { isLate } from "../../lifecycle/deadline.ts";

/** A worker process's messages to its supervisor. */
export interface WorkerEvents {
  message(message: ToPrimary): void;
  /** The process ended, and all its messages were received. */
  gone(code: number | null, signal: string | null): void;
}

/** A worker process as its supervisor sees it. */
export interface WorkerProcess extends Taker {
  readonly pid: number;
  /** The channel as the shared state uses it: with all messages of a turn in one. */
  readonly link: PrimaryLink;
  send(message: ToWorker): void;
  /** Ends it at once. */
  kill(): void;
}

/** Starts a worker process. */
export type ForkWorker = (events: WorkerEvents) => WorkerProcess;

/** Forks this program: same file, same arguments, same Node options, inherited output, and the `descriptors` from 4 on. */
export const forkProgram =
  (file: string, brief: WorkerBrief, descriptors: readonly number[]): ForkWorker =>
  (events) => {
    const worker = fork(file, process.argv.slice(2), {
      env: { ...process.env, [BRIEF_VARIABLE]: JSON.stringify(brief) },
      execArgv: [...process.execArgv, ...ownDebugPort()],
      stdio: ["inherit", "inherit", "inherit", "ipc", ...descriptors],
    });
    worker.on("message", (message: unknown) => {
      if (isEnvelope(message)) events.message(message as ToPrimary);
    });
    const end = endOf(worker);
    void end.then(({ code, signal }) => events.gone(code, signal));
    worker.on("error", () => {}); // a channel that breaks while the worker exits; `gone` reports the exit
    const link = linkTo(worker, end);
    return {
      pid: worker.pid ?? -1,
      link: batchedLink(link),
      send: (message) => link.send(message),
      take: (id, { socket, listener }, sent) => {
        if (!worker.connected) return sent(new Error("the worker's channel is closed"));
        const message: ToWorker = { "@framework": "connection", id, listener };
        worker.send(message, socket, { keepOpen: true }, sent);
      },
      kill: () => {
        worker.kill("SIGKILL");
      },
    };
  };

let lastDebugPort = process.debugPort;

/** In a program that is debugged, the option that gives a worker a port of its own for that. */
const ownDebugPort = (): string[] => {
  const options = [...process.execArgv, process.env["NODE_OPTIONS"]].join(" ");
  return options.includes("--inspect") ? [`--inspect-port=${++lastDebugPort}`] : [];
};

interface End {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Milliseconds after an exit within which the loop has read the process's last messages. */
const LAST_WORDS_MS = 50;

/**
 * Resolves when a worker has ended and its last message was received: an exit may overtake messages in the channel.
 *
 * The channel's own end cannot be awaited: for a process that exits with an unread handle in its channel Node reports the exit only.
 */
const endOf = async (worker: ChildProcess): Promise<End> => {
  const silent = new Promise<void>((resolve) => worker.once("disconnect", resolve));
  const end = await new Promise<End>((resolve) => {
    worker.once("exit", (code: number | null, signal: string | null) => resolve({ code, signal }));
  });
  await isLate(silent, LAST_WORDS_MS);
  return end;
};

const linkTo = (worker: ChildProcess, end: Promise<End>): PrimaryLink => ({
  send: (message) => {
    if (worker.connected) worker.send(message, () => {}); // a failure means that it is exiting
  },
  onMessage: (listener) => {
    worker.on("message", listener);
    return () => worker.off("message", listener);
  },
  onClose: (listener) => {
    void end.then(listener);
  },
});
