import type { HttpRequest } from "@framework/core";
import { pino } from "pino";
import { fileOutlet, isoClock, jsonAccessLine, LineWriter, type Outcome } from "./logging-internals.ts";

/** Input of an access line. */
export interface Access {
  readonly request: HttpRequest;
  readonly outcome: Outcome;
}

/** Writes access lines to an open file. */
export interface LineLogger {
  readonly write: (access: Access) => void;
  /** Resolves when every line is written. */
  readonly flush: () => Promise<void>;
}

type FormatLine = (access: Access) => string;
type LineOutput = Pick<LineLogger, "flush"> & { readonly line: (text: string) => void };

const iso = isoClock({ date: Date.now });
const accessLine = jsonAccessLine(iso);
const ourLine: FormatLine = ({ request, outcome }) => accessLine(request, outcome);

const ourWriter = (fd: number): LineOutput => {
  const writer = new LineWriter({ outlet: fileOutlet(fd), maxQueueBytes: 1_048_576, lossLine: () => "" });
  return { line: (text) => writer.add(text), flush: () => writer.flush(60_000) };
};

const pinoWriter = (
  fd: number,
  options: { readonly sync: boolean; readonly minLength: number },
): LineOutput => {
  const destination = pino.destination({ dest: fd, ...options });
  return {
    line: (text) => void destination.write(text),
    flush: async () => {
      if (!options.sync) while ((await flushOnce(destination)) > 0);
    },
  };
};

/** Waits for a write, the one in progress if there is one, and returns its bytes: only a write of 0 bytes shows that nothing is buffered. */
const flushOnce = (destination: ReturnType<typeof pino.destination>): Promise<number> =>
  new Promise((resolve) => {
    let bytes = 0;
    const count = (written: number): void => void (bytes += written);
    destination.on("write", count);
    destination.once("drain", () => {
      destination.off("write", count);
      resolve(bytes);
    });
    destination.flush(); // with a callback it would call fsync, which fails for pipes and devices
  });

/** Logs the same members with pino. */
const pinoLines = (output: LineOutput): LineLogger => {
  const instance = pino(
    {
      base: null,
      timestamp: () => `,"timestamp":"${iso()}"`,
      formatters: { level: (level) => ({ level }) },
      serializers: {},
    },
    { write: output.line },
  );
  return {
    write: ({ request, outcome }) => {
      const { method, path, route, requestId, clientIp } = request;
      instance.info({
        status: outcome.status,
        route,
        method,
        path,
        latency: Math.round(outcome.latencyMs * 1000) / 1000,
        request_id: requestId,
        client_ip: clientIp,
        bytes: outcome.bytes,
      });
    },
    flush: output.flush,
  };
};

const ourLines = (output: LineOutput): LineLogger => ({
  write: (access) => output.line(ourLine(access)),
  flush: output.flush,
});

/** `ours` is the reference; the others use pino for the line, for the writer, or for both. */
export const loggers: Readonly<Record<string, (fd: number) => LineLogger>> = {
  ours: (fd) => ourLines(ourWriter(fd)),
  "our line, pino's writer, sync": (fd) => ourLines(pinoWriter(fd, { sync: true, minLength: 0 })),
  "our line, pino's writer, async": (fd) => ourLines(pinoWriter(fd, { sync: false, minLength: 1 })),
  "our line, pino's writer, async, 4 KiB": (fd) => ourLines(pinoWriter(fd, { sync: false, minLength: 4096 })),
  "pino's line, our writer": (fd) => pinoLines(ourWriter(fd)),
  "pino's line, pino's writer, sync": (fd) => pinoLines(pinoWriter(fd, { sync: true, minLength: 0 })),
  "pino's line, pino's writer, async, 4 KiB": (fd) =>
    pinoLines(pinoWriter(fd, { sync: false, minLength: 4096 })),
};
