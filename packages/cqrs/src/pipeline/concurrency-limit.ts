import { tooBusy } from "../failures/command-errors.ts";

/** Limits the concurrent calls of one kind in this process. */
export class ConcurrencyLimit {
  private readonly plural: string;
  private readonly max: number;
  private running = 0;

  constructor(plural: string, max: number) {
    this.plural = plural;
    this.max = max;
  }

  /** Runs a call. @throws HttpError 503 (CQRS_BUSY) if too many are running */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.max) throw tooBusy(`${this.running} ${this.plural} are running`);
    this.running++;
    try {
      return await work();
    } finally {
      this.running--;
    }
  }
}
