import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";

/** CPU time of all threads of all processes, in microseconds. */
export interface CpuTime {
  readonly userMicros: number;
  readonly kernelMicros: number;
}

/** Reads the resource usage of a server's processes; see `servers/process-metrics.ts`. */
export class VitalsClient implements Disposable {
  private readonly connections: readonly ProcessConnection[];

  /** @param ports one per process, as printed by `serveProcessMetrics` */
  constructor(...ports: readonly number[]) {
    this.connections = ports.map((port) => new ProcessConnection(port));
  }

  /** Reads the CPU time of all processes. */
  async cpu(): Promise<CpuTime> {
    const times = await this.query<CpuTime>("cpu");
    return {
      userMicros: sum(times.map(({ userMicros }) => userMicros)),
      kernelMicros: sum(times.map(({ kernelMicros }) => kernelMicros)),
    };
  }

  /** Reads the CPU time of all threads in user space and kernel, in microseconds. */
  async cpuMicros(): Promise<number> {
    const { userMicros, kernelMicros } = await this.cpu();
    return userMicros + kernelMicros;
  }

  /** Reads the resident bytes after a garbage collection. */
  async residentBytes(): Promise<number> {
    const sizes = await this.query<{ readonly residentBytes: number }>("memory");
    return sum(sizes.map(({ residentBytes }) => residentBytes));
  }

  [Symbol.dispose](): void {
    for (const connection of this.connections) connection[Symbol.dispose]();
  }

  private query<T>(name: string): Promise<T[]> {
    return Promise.all(this.connections.map((connection) => connection.query<T>(name)));
  }
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** The connection to one process. */
class ProcessConnection implements Disposable {
  private readonly socket: Socket;
  private waiting: ((line: string) => void) | null = null;

  constructor(port: number) {
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true });
    createInterface({ input: this.socket }).on("line", (line) => this.waiting?.(line));
    this.socket.on("error", () => this.socket.destroy()); // the missing reply is reported instead
  }

  query<T>(name: string): Promise<T> {
    return new Promise((resolve) => {
      this.waiting = (line) => resolve(JSON.parse(line) as T);
      this.socket.write(`${name}\n`);
    });
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}
