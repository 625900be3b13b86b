/** What is measured here, from its source, and `amqplib`, as `@framework/rabbitmq` has it. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
import { createRequire } from "node:module";

export { rabbitmqBroker } from "../../packages/rabbitmq/src/index.ts";
export { startRabbitMq } from "../../tools/services/src/rabbitmq.ts";

/** A delivery of `amqplib`. */
export interface BareMessage {
  readonly content: Buffer;
}

/** The part of a confirm channel of `amqplib` that is used here. */
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

/** The part of a connection of `amqplib` that is used here. */
export interface BareConnection {
  createConfirmChannel(): Promise<BareChannel>;
  close(): Promise<void>;
}

/** `amqplib`, as `@framework/rabbitmq` has it. */
export const loadAmqplib = (): {
  connect(url: string, options: object): Promise<BareConnection>;
} =>
  createRequire(new URL("../../packages/rabbitmq/package.json", import.meta.url))("amqplib") as ReturnType<
    typeof loadAmqplib
  >;
