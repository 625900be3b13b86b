import { type AddressInfo, createServer } from "node:net";
import { readCpuTime } from "./vitals.ts";

/**
 * Opens a port on which the benchmark reads metrics of this process: processor time (`cpu`) or resident memory after a garbage collection (`memory`), and
 * replies to each line with one line of JSON. It is separate from the service, so that no framework handles it.
 */
export const serveProcessMetrics = (): Promise<void> =>
  new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.setNoDelay(true).setEncoding("latin1");
      socket.on("data", (line) => {
        const reply = String(line).startsWith("memory") ? memory() : readCpuTime();
        socket.write(`${JSON.stringify(reply)}\n`);
      });
      socket.on("error", () => socket.destroy()); // the benchmark has ended, and kills this process
    });
    // Exclusive, so that each worker of a cluster gets a different port.
    server.listen({ port: 0, host: "127.0.0.1", exclusive: true }, () => {
      console.log(JSON.stringify({ vitals: (server.address() as AddressInfo).port, pid: process.pid }));
      resolve();
    });
  });

const memory = (): { residentBytes: number } => {
  globalThis.gc?.();
  return { residentBytes: process.memoryUsage.rss() };
};
