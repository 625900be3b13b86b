import "reflect-metadata";
import type { Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { serveProcessMetrics } from "./process-metrics.ts";
import { announceServer } from "./serving.ts";

/** A method decorator. */
export type Decorator = (target: object, key: string, descriptor: PropertyDescriptor) => unknown;

/** Applies decorators to a method by calling them, because the type stripping of Node does not support decorators. */
export const decorate = (target: object, key: string, ...decorators: readonly Decorator[]): void => {
  const descriptor = Object.getOwnPropertyDescriptor(target, key) ?? {};
  for (const decorator of decorators) decorator(target, key, descriptor);
};

/** Starts a Nest module on Fastify. */
export const startNest = async (module: Type, adapter = new FastifyAdapter()): Promise<void> => {
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { logger: false });
  await serveProcessMetrics();
  await app.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1");
  announceServer(app.getHttpServer());
};
