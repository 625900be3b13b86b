/** A server that this process started. */
export interface RunningServer extends AsyncDisposable {
  /** Its address. */
  readonly url: string;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/** A server that tests can kill, stop and pause; address, port and data stay the same. */
export interface FragileServer extends RunningServer {
  /** `kill -9` of the whole server. */
  kill(): Promise<void>;
  /** Starts it again with the same data; resolves when it is ready. */
  start(): Promise<void>;
  /** Stops it and keeps its data. */
  shutdown(): Promise<void>;
  /** Freezes every process of it (SIGSTOP): connections stay open without replies. */
  pause(): void;
  resume(): void;
}
