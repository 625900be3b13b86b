/** A server that this process started and may do anything to. */
export interface RunningServer extends AsyncDisposable {
  /** Where clients find it. */
  readonly url: string;
  /** Ends it in order and removes its data. */
  stop(): Promise<void>;
}

/** A server that tests may treat badly; the same address, port and data all along. */
export interface FragileServer extends RunningServer {
  /** `kill -9` of the whole server. */
  kill(): Promise<void>;
  /** Starts it again over the same data, and waits until it is ready. */
  start(): Promise<void>;
  /** Ends it in order, but keeps its data. */
  shutdown(): Promise<void>;
  /** Freezes every process of it (SIGSTOP): connections stay open, nothing answers. */
  pause(): void;
  resume(): void;
}
