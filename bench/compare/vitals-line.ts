import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";

/** CPU time of all threads of all processes, in microseconds. */
export interface CpuTime {
  readonly userMicros: number;
  readonly kernelMicros: number;
}

/** Reads the resource usage of a server's processes; see `servers/serving.ts`. */
export class VitalsLine implements Disposable {
  private readonly lines: readonly Line[];

  /** @param ports one for each process */
  constructor(...ports: readonly number[]) {
    this.lines = ports.map((port) => new Line(port));
  }

  async cpu(): Promise<CpuTime> {
    const times = await this.ask<CpuTime>("cpu");
    return {
      userMicros: sum(times.map(({ userMicros }) => userMicros)),
      kernelMicros: sum(times.map(({ kernelMicros }) => kernelMicros)),
    };
  }

  /** CPU time of all threads, in microseconds. */
  async cpuMicros(): Promise<number> {
    const { userMicros, kernelMicros } = await this.cpu();
    return userMicros + kernelMicros;
  }

  /** Resident bytes, after a collection. */
  async residentBytes(): Promise<number> {
    const sizes = await this.ask<{ readonly residentBytes: number }>("memory");
    return sum(sizes.map(({ residentBytes }) => residentBytes));
  }

  [Symbol.dispose](): void {
    for (const line of this.lines) line[Symbol.dispose]();
  }

  private ask<T>(question: string): Promise<T[]> {
    return Promise.all(this.lines.map((line) => line.ask<T>(question)));
  }
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** The line to one process. */
class Line implements Disposable {
  private readonly socket: Socket;
  private waiting: ((line: string) => void) | null = null;

  constructor(port: number) {
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true });
    createInterface({ input: this.socket }).on("line", (line) => this.waiting?.(line));
    this.socket.on("error", () => this.socket.destroy()); // the missing answer is reported instead
  }

  ask<T>(question: string): Promise<T> {
    return new Promise((resolve) => {
      this.waiting = (line) => resolve(JSON.parse(line) as T);
      this.socket.write(`${question}\n`);
    });
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}
