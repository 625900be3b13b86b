import type { FragileServer } from "./running-server.ts";
import type { ServerFolder } from "./server-folder.ts";
import type { ServerProcess } from "./server-process.ts";
import { untilReady } from "./until-ready.ts";

/** Options of `startFragileServer`. */
export interface ServerParts {
  readonly name: string;
  readonly url: string;
  readonly folder: ServerFolder;
  readonly process: ServerProcess;
  /** Signal for a graceful stop. */
  readonly stopSignal?: NodeJS.Signals;
  /** Rejects until the server is ready for requests. */
  readonly check: () => Promise<void>;
}

/** Starts a server and returns its handle; a failed start cleans up, and the error contains the end of the log of the server. */
export const startFragileServer = async (parts: ServerParts): Promise<FragileServer> => {
  const server = new LocalServer(parts);
  try {
    await server.start();
    return server;
  } catch (cause) {
    const log = parts.folder.logTail();
    await server.stop();
    throw new Error(`${parts.name} did not start${log === "" ? "" : `; the end of its log:\n${log}`}`, {
      cause,
    });
  }
};

class LocalServer implements FragileServer {
  readonly url: string;
  private readonly parts: ServerParts;

  constructor(parts: ServerParts) {
    this.url = parts.url;
    this.parts = parts;
  }

  async start(): Promise<void> {
    const { name, process, check } = this.parts;
    process.start();
    await untilReady(name, check, { isAborted: () => !process.running });
  }

  async shutdown(): Promise<void> {
    await this.parts.process.stop(this.parts.stopSignal);
  }

  async kill(): Promise<void> {
    await this.parts.process.kill();
  }

  pause(): void {
    this.parts.process.pause();
  }

  resume(): void {
    this.parts.process.resume();
  }

  async stop(): Promise<void> {
    await this.shutdown();
    this.parts.folder[Symbol.dispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
