/** Input of every job: about 100 bytes of JSON. */
export interface Payload {
  readonly order: number;
  readonly customer: string;
  readonly items: readonly string[];
}

/** Returns the payload of a job. */
export const payloadOf = (order: number): Payload => ({
  order,
  customer: "customer@example.org",
  items: ["first", "second", "third"],
});

/** A job system with one queue, on its server. */
export interface Contender extends AsyncDisposable {
  /** Adds one job. */
  add(payload: Payload): Promise<unknown>;
  /** Adds jobs with one call. */
  addAll(payloads: readonly Payload[]): Promise<unknown>;
  /** Starts a worker that runs up to `concurrency` concurrent jobs, each a call of `handle`. */
  work(concurrency: number, handle: (payload: Payload) => void): Promise<AsyncDisposable>;
  /** Returns whether there are jobs whose completion is not stored. */
  hasUnfinished(): Promise<boolean>;
}
