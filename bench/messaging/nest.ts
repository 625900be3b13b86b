/** A NestJS microservice. Calls the decorators as functions, because the type stripping of Node does not support them. */
import "reflect-metadata";
import { randomUUID } from "node:crypto";
import { Controller, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import {
  Ctx,
  EventPattern,
  type KafkaOptions,
  type MicroserviceOptions,
  Payload,
  type RmqContext,
  type RmqOptions,
  Transport,
} from "@nestjs/microservices";

/** Starts a service with one handler; returns a function that stops it. */
const serve = async (
  pattern: string,
  handle: (data: unknown, context: never) => Promise<void>,
  options: KafkaOptions | RmqOptions,
): Promise<() => Promise<void>> => {
  class Handlers {}
  const { prototype } = Handlers as unknown as { readonly prototype: object };
  Object.defineProperty(prototype, "handle", { value: handle, configurable: true, writable: true });
  const descriptor = Object.getOwnPropertyDescriptor(prototype, "handle") ?? {};
  Payload()(prototype, "handle", 0);
  Ctx()(prototype, "handle", 1);
  EventPattern(pattern)(prototype, "handle", descriptor);
  Controller()(Handlers);
  class Service {}
  Module({ controllers: [Handlers] })(Service);
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(Service, {
    ...options,
    logger: false,
  });
  await app.listen();
  return () => app.close();
};

/** Reads a topic from its beginning, its partitions concurrently. */
export const nestOnKafka = (
  broker: string,
  {
    topic,
    partitions,
    handle,
  }: { topic: string; partitions: number; handle: (data: unknown) => Promise<void> },
): Promise<() => Promise<void>> =>
  serve(topic, handle, {
    transport: Transport.KAFKA,
    options: {
      client: { brokers: [broker], logLevel: 0 },
      consumer: { groupId: randomUUID(), maxWaitTimeInMs: 100 },
      subscribe: { fromBeginning: true },
      run: { partitionsConsumedConcurrently: partitions },
    },
  });

/** Consumes an existing queue, and acknowledges each message after its handler. */
export const nestOnRabbitMq = (
  url: string,
  {
    queue,
    pattern,
    prefetch,
    handle,
  }: {
    queue: string;
    pattern: string;
    prefetch: number;
    handle: (data: unknown) => Promise<void>;
  },
): Promise<() => Promise<void>> => {
  const handleAndAcknowledge = async (data: unknown, context: RmqContext): Promise<void> => {
    await handle(data);
    context.getChannelRef().ack(context.getMessage());
  };
  return serve(pattern, handleAndAcknowledge, {
    transport: Transport.RMQ,
    options: { urls: [url], queue, noAck: false, noAssert: true, prefetchCount: prefetch },
  });
};
