/** Where the framework writes what an operator must know. `enableLogging` and programs may bring their own. */
export interface Logger {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /**
   * Hands what is written from now on to another logger, until the returned function is called. The framework's own logger has it, so that a feature
   * can make all lines of a process one stream; a logger that a program brings keeps its lines unless it has it too.
   */
  redirect?(to: Logger): () => void;
}
