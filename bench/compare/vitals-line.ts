import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";

/** Reads the resource usage of a server's process; see `servers/serving.ts`. */
export class VitalsLine implements Disposable {
  private readonly socket: Socket;
  private waiting: ((line: string) => void) | null = null;

  constructor(port: number) {
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true });
    createInterface({ input: this.socket }).on("line", (line) => this.waiting?.(line));
    this.socket.on("error", () => this.socket.destroy()); // the missing answer is reported instead
  }

  /** CPU time of all threads, in microseconds. */
  async cpuMicros(): Promise<number> {
    const { cpuMicros } = await this.ask<{ readonly cpuMicros: number }>("cpu");
    return cpuMicros;
  }

  /** Resident bytes, after a collection. */
  async residentBytes(): Promise<number> {
    const { residentBytes } = await this.ask<{ readonly residentBytes: number }>("memory");
    return residentBytes;
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  private ask<T>(question: string): Promise<T> {
    return new Promise((resolve) => {
      this.waiting = (line) => resolve(JSON.parse(line) as T);
      this.socket.write(`${question}\n`);
    });
  }
}
