import { checkCallback, checkRun, checkScript } from "../arguments.ts";
import { checkNotification } from "../notification.ts";
import type { Transaction } from "../queries.ts";
import { SessionQueries } from "./session-queries.ts";
import type { TextChecker } from "../sql-text/text-checker.ts";
import type { TransactionScope } from "./transaction-scope.ts";

/** The transaction passed to the function of `transaction`. Usable until it ends; nested transactions are savepoints. */
export class RunningTransaction extends SessionQueries implements Transaction {
  private readonly scope: TransactionScope;

  constructor(scope: TransactionScope, checker: TextChecker, signal?: AbortSignal) {
    super(scope, checker, signal);
    this.scope = scope;
  }

  async transaction<T>(run: (inner: Transaction) => Promise<T>): Promise<T> {
    checkRun(run);
    const nested = await this.scope.enter();
    try {
      const value = await run(new RunningTransaction(nested, this.checker, this.signal));
      await this.scope.keep(nested);
      return value;
    } catch (error) {
      await this.scope.undo(nested);
      throw error;
    }
  }

  async script(text: string): Promise<void> {
    checkScript(text);
    this.checker.script(text);
    await this.scope.script(text, this.signal);
  }

  async notify(channel: string, payload = ""): Promise<void> {
    checkNotification(channel, payload);
    await this.scope.notify(channel, payload);
  }

  onCommit(callback: () => void): void {
    checkCallback(callback);
    this.scope.onCommit(callback);
  }
}
