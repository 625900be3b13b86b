import { connect } from "node:net";

/** Outcomes of new connections. */
export interface ProbeResult {
  readonly accepted: number;
  /** Error codes of failed connections. */
  readonly refused: readonly string[];
}

/** Opens a connection every `everyMs`, sends nothing and closes it, until the returned function is called. */
export const probePort = (port: number, everyMs: number): (() => ProbeResult) => {
  let accepted = 0;
  const refused: string[] = [];
  const timer = setInterval(() => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.on("connect", () => {
      accepted++;
      socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => refused.push(error.code ?? error.message));
  }, everyMs);
  return () => {
    clearInterval(timer);
    return { accepted, refused };
  };
};
