export type { Socket } from "node:net";
