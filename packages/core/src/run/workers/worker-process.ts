import { type ChildProcess, fork } from "node:child_process";
import { batchedLink } from "../../shared-state/workers/batched-link.ts";
import type { PrimaryLink } from "../../shared-state/workers/primary-link.ts";
import type { SocketTarget } from "./dispatcher.ts";
import { BRIEF_VARIABLE, isEnvelope, type ToPrimary, type ToWorker, type WorkerBrief } from "./messages.ts";
import { toError } from "../../errors/to-error.ts";
import { timesOut } from "../../lifecycle/deadline.ts";

/** A worker process's messages to its supervisor. */
export interface WorkerEvents {
  message(message: ToPrimary): void;
  /** Called when the process has exited and its messages were received, at most 50 ms later, or when the system could not start it. */
  exited(how: string): void;
}

/** The supervisor's interface to a worker process. */
export interface WorkerProcess extends SocketTarget {
  readonly pid: number;
  /** The channel for the shared state, which sends all messages of one turn of the event loop as one. */
  readonly link: PrimaryLink;
  send(message: ToWorker): void;
  /** Sends SIGKILL. */
  kill(): void;
}

/** Starts a worker process. */
export type ForkWorker = (events: WorkerEvents) => WorkerProcess;

/** Forks this program: same file, same arguments, same Node options, inherited output, and the `descriptors` from 4 on. */
export const forkProgram =
  (file: string, brief: WorkerBrief, descriptors: readonly number[]): ForkWorker =>
  (events) => {
    let worker: ChildProcess;
    try {
      worker = fork(file, process.argv.slice(2), {
        env: { ...process.env, [BRIEF_VARIABLE]: JSON.stringify(brief) },
        execArgv: [...process.execArgv, ...ownDebugPort()],
        stdio: ["inherit", "inherit", "inherit", "ipc", ...descriptors],
      });
    } catch (error) {
      return failedProcess(events, error);
    }
    worker.on("message", (message: unknown) => {
      if (isEnvelope(message)) events.message(message as ToPrimary);
    });
    const end = endOf(worker);
    void end.then((how) => events.exited(how));
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

/** The Node option that gives a worker its own inspector port, if the program is being debugged. */
const ownDebugPort = (): string[] => {
  const options = [...process.execArgv, process.env["NODE_OPTIONS"]].join(" ");
  return options.includes("--inspect") ? [`--inspect-port=${++lastDebugPort}`] : [];
};

/** Creates the process of a fork that threw: Node throws some failures, such as a lack of memory, and reports others as an event. */
const failedProcess = (events: WorkerEvents, error: unknown): WorkerProcess => {
  setImmediate(() => events.exited(toError(error).message));
  const link: PrimaryLink = {
    send: () => {},
    onMessage: () => () => {},
    onClose: (listener) => setImmediate(listener),
  };
  return {
    pid: -1,
    link,
    send: () => {},
    take: (_id, _connection, sent) => sent(new Error("the worker did not start")),
    kill: () => {},
  };
};

/** Milliseconds to wait after an exit for the last messages of the process. */
const LAST_MESSAGES_MS = 50;

/**
 * Resolves with the code, the signal or the error when a worker has exited and its last message was received: the exit may be reported before messages in the
 * channel.
 *
 * If the system could not start a process, for lack of processes or descriptors, Node reports an error and no exit. Waiting only for the end of the channel is
 * not sufficient: for a process that exits with an unread handle in its channel, Node reports only the exit.
 */
const endOf = async (worker: ChildProcess): Promise<string> => {
  const disconnected = new Promise<void>((resolve) => worker.once("disconnect", resolve));
  const how = await new Promise<string>((resolve) => {
    worker.once("exit", (code: number | null, signal: string | null) =>
      resolve(signal ?? `exit code ${code}`),
    );
    worker.on("error", (error) => {
      if (worker.pid === undefined) resolve(error.message); // any other error is from a channel that breaks while the worker exits
    });
  });
  await timesOut(disconnected, LAST_MESSAGES_MS);
  return how;
};

const linkTo = (worker: ChildProcess, end: Promise<unknown>): PrimaryLink => ({
  send: (message) => {
    if (worker.connected) worker.send(message, () => {}); // a failure means that it is exiting
  },
  onMessage: (listener) => {
    worker.on("message", listener);
    return () => worker.off("message", listener);
  },
  onClose: (listener) => {
    void end.then(() => listener());
  },
});
