import { tooBusy } from "../failures/command-errors.ts";

/** Limits the concurrent calls of one kind in this process. */
export class ConcurrencyLimit {
  private readonly what: string;
  private readonly max: number;
  private running = 0;

  constructor(what: string, max: number) {
    this.what = what;
    this.max = max;
  }

  /** Runs a call. @throws HttpError 503 (CQRS_BUSY) if too many are running */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.max) throw tooBusy(`${this.running} ${this.what} are running`);
    this.running++;
    try {
      return await work();
    } finally {
      this.running--;
    }
  }
}
