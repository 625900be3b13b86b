/** The measured packages, loaded from their sources, and `amqplib`. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
import { createRequire } from "node:module";

export { rabbitmqBroker } from "../../packages/rabbitmq/src/index.ts";
export { startRabbitMq } from "../../tools/services/src/rabbitmq.ts";

/** A delivery of `amqplib`. */
export interface BareMessage {
  readonly content: Buffer;
}

/** The used part of an `amqplib` confirm channel. */
export interface BareChannel {
  publish(
    exchange: string,
    routingKey: string,
    content: Buffer,
    options: object,
    confirmed: (error: unknown) => void,
  ): boolean;
  consume(queue: string, take: (message: BareMessage | null) => void): Promise<unknown>;
  ack(message: BareMessage): void;
  prefetch(count: number): Promise<unknown>;
  once(event: "drain", listener: () => void): unknown;
  close(): Promise<void>;
}

/** The used part of an `amqplib` connection. */
export interface BareConnection {
  createConfirmChannel(): Promise<BareChannel>;
  close(): Promise<void>;
}

/** `amqplib` in the version of `@framework/rabbitmq`. */
export const loadAmqplib = (): {
  connect(url: string, options: object): Promise<BareConnection>;
} =>
  createRequire(new URL("../../packages/rabbitmq/package.json", import.meta.url))("amqplib") as ReturnType<
    typeof loadAmqplib
  >;
