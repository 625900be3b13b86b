import { createRequire } from "node:module";

type Amqplib = typeof import("amqplib");

let loaded: Amqplib | undefined;

/** Loads amqplib on first use, so that apps with another broker do not load it. */
export const amqplib = (): Amqplib => (loaded ??= createRequire(import.meta.url)("amqplib") as Amqplib);
