export type { AddressInfo, Server as Listener, Socket } from "node:net";
