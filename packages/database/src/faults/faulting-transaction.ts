import { CommitUnknownError } from "../database-errors.ts";
import { orAborted } from "../deadlines.ts";
import type { Transaction } from "../queries.ts";
import type { CrashingProcess } from "./crashing-process.ts";
import { FaultingQueries } from "./faulting-queries.ts";

/** A transaction of a process that dies at one of its statements. */
class FaultingTransaction extends FaultingQueries implements Transaction {
  private readonly tx: Transaction;

  constructor(tx: Transaction, process: CrashingProcess) {
    super(tx, process);
    this.tx = tx;
  }

  transaction<T>(run: (inner: Transaction) => Promise<T>): Promise<T> {
    return this.call(() => runLevel(this.process, "savepoint", (level) => this.tx.transaction(level), run));
  }

  script(text: string): Promise<void> {
    return this.call(() => this.process.act(text, () => this.tx.script(text)));
  }

  notify(channel: string, payload?: string): Promise<void> {
    return this.call(() => this.process.act(`NOTIFY ${channel}`, () => this.tx.notify(channel, payload)));
  }

  onCommit(callback: () => void): void {
    this.process.checkAlive();
    this.tx.onCommit(() => (this.process.isSilent ? undefined : callback()));
  }
}

const words = {
  transaction: { begin: "BEGIN", keep: "COMMIT", undo: "ROLLBACK" },
  savepoint: { begin: "SAVEPOINT", keep: "RELEASE SAVEPOINT", undo: "ROLLBACK TO SAVEPOINT" },
} as const;

/** Runs a transaction or savepoint, whose begin and end count as statements. The crash rolls it back at once, even if its function is waiting. */
export const runLevel = async <T>(
  process: CrashingProcess,
  kind: keyof typeof words,
  open: (level: (tx: Transaction) => Promise<T>) => Promise<T>,
  run: (tx: Transaction) => Promise<T>,
): Promise<T> => {
  const { begin, keep, undo } = words[kind];
  let attempts = 0;
  let isCommitting = false;
  let onReply = process.send(begin);
  const level = async (tx: Transaction): Promise<T> => {
    onReply(); // reply to the begin, or to the end of the previous attempt
    if (attempts++ > 0) process.send(begin)();
    isCommitting = false;
    try {
      const value = await orAborted(run(new FaultingTransaction(tx, process)), process.signal);
      isCommitting = kind === "transaction";
      onReply = process.send(keep);
      return value;
    } catch (error) {
      if (!process.isDead) onReply = process.send(undo);
      throw error;
    }
  };
  const opened = open(level);
  await opened.catch(() => {}); // the outcome is returned below, unless the process has died
  try {
    onReply();
  } catch (killed) {
    throw isCommitting ? new CommitUnknownError(killed) : killed;
  }
  return await opened;
};
