export type { Duplex } from "node:stream";
export type { AddressInfo, Server as Listener, Socket } from "node:net";
