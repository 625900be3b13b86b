import "reflect-metadata";
import type { Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { announceServer, openVitals } from "./serving.ts";

/** A decorator of a method. */
export type Decorator = (target: object, key: string, descriptor: PropertyDescriptor) => unknown;

/** Decorates a method. Decorators are called as functions, because the sources of the bench are JavaScript with types. */
export const decorate = (target: object, key: string, ...decorators: readonly Decorator[]): void => {
  const descriptor = Object.getOwnPropertyDescriptor(target, key) ?? {};
  for (const decorator of decorators) decorator(target, key, descriptor);
};

/** Starts a module of Nest on Fastify. */
export const startNest = async (module: Type, adapter = new FastifyAdapter()): Promise<void> => {
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { logger: false });
  await openVitals();
  await app.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1");
  announceServer(app.getHttpServer());
};
