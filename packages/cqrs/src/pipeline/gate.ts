import { tooBusy } from "../failures/command-errors.ts";

/** Bounds how many calls of one kind run at once in this process. */
export class Gate {
  private readonly what: string;
  private readonly max: number;
  private running = 0;

  constructor(what: string, max: number) {
    this.what = what;
    this.max = max;
  }

  /** @throws HttpError 503 (CQRS_BUSY) when too many run */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.max) throw tooBusy(`${this.running} ${this.what} run`);
    this.running++;
    try {
      return await work();
    } finally {
      this.running--;
    }
  }
}
