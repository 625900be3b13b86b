import type { AddressInfo } from "node:net";

/** Prints the address of the service. */
export const announce = (port: number): void => {
  console.log(JSON.stringify({ event: "listening", url: `http://127.0.0.1:${port}` }));
};

/** Prints the address of a `node:http` server. */
export const announceServer = (server: { address(): AddressInfo | string | null }): void => {
  announce((server.address() as AddressInfo).port);
};

/** The port to listen on: `PORT`, or any free one. */
export const listenPort = Number(process.env["PORT"] ?? 0);

process.on("SIGTERM", () => process.exit(0));
