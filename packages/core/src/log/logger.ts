/** Receives the framework's own log lines. A program can pass its own logger, and `enableLogging` redirects the default one. */
export interface Logger {
  /** Writes a line about normal operation. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Writes a line that an operator should look at. */
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Writes a line about a failure. */
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /**
   * Redirects all further lines to another logger, until the returned function is called. The default logger has this method, so that a
   * feature can write all lines of a process to one stream; a logger without it keeps its own lines.
   */
  redirect?(to: Logger): () => void;
  /**
   * Receives each JSON line that a logging feature would otherwise write to standard output or standard error. The logger of a test client has this method, so
   * a test finds all lines in one place and prints none.
   */
  collect?(line: string): void;
}
