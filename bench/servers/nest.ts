/** Nest on Fastify. Calls the decorators as functions, because the type stripping of Node does not support them. */
import "reflect-metadata";
import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import etag from "@fastify/etag";
import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Module,
  Param,
  ParseIntPipe,
  Post,
  Put,
  StreamableFile,
  UnprocessableEntityException,
} from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { ALLOWED_ORIGIN, logFile, requestIdOf, withFiveMiddlewares } from "./five.ts";
import { type Decorator, decorate } from "./nest-service.ts";
import { colonAndStar, plainRoutes, type Verb } from "./plain-routes.ts";
import { serveProcessMetrics } from "./process-metrics.ts";
import { announceServer } from "./serving.ts";
import { chunks, greeting, isOrder } from "./workload.ts";

class BenchController {
  json(): object {
    return greeting();
  }

  user(id: number): object {
    return { id };
  }

  echo(body: unknown): unknown {
    if (!isOrder(body)) throw new UnprocessableEntityException();
    return body;
  }

  stream(): StreamableFile {
    return new StreamableFile(Readable.from(chunks(), { objectMode: false }));
  }
}

const { prototype } = BenchController;
Reflect.defineMetadata("design:paramtypes", [Number], prototype, "user");
Reflect.defineMetadata("design:paramtypes", [Object], prototype, "echo");
decorate(prototype, "json", Get("/json"));
decorate(prototype, "user", Get("/users/:id"));
Param("id", ParseIntPipe)(prototype, "user", 0);
decorate(prototype, "echo", Post("/echo"), HttpCode(200));
Body()(prototype, "echo", 0);
decorate(prototype, "stream", Get("/stream"), Header("Content-Type", "application/octet-stream"));

const route: Readonly<Record<Verb, (path: string) => Decorator>> = {
  get: Get,
  post: Post,
  put: Put,
  delete: Delete,
};
for (const [index, [verb, path]] of plainRoutes(colonAndStar).entries()) {
  const key = `route${index}`;
  Object.defineProperty(prototype, key, { value: () => ({ path }), configurable: true, writable: true });
  decorate(prototype, key, route[verb](path));
}
Controller()(BenchController);

class BenchModule {}
Module({ controllers: [BenchController] })(BenchModule);

const adapter = withFiveMiddlewares
  ? new FastifyAdapter({
      logger: { file: logFile },
      genReqId: (request: { readonly headers: IncomingHttpHeaders }) =>
        requestIdOf(request.headers["x-request-id"] as string | undefined),
    })
  : new FastifyAdapter();
const app = await NestFactory.create<NestFastifyApplication>(BenchModule, adapter, { logger: false });
if (withFiveMiddlewares) {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook("onRequest", (request, reply, done) => {
    reply.header("X-Request-Id", request.id);
    reply.header("X-Content-Type-Options", "nosniff");
    done();
  });
  app.enableCors({ origin: [ALLOWED_ORIGIN] });
  await fastify.register(etag, { weak: true });
}
await serveProcessMetrics();
await app.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1");
announceServer(app.getHttpServer());
