/** Nest on Fastify, with `@nestjs/throttler`, which counts in each worker. */
import { Controller, Get, Module, UseGuards } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { ThrottlerGuard, ThrottlerModule } from "@nestjs/throttler";
import { decorate } from "../nest-service.ts";
import { listenPort } from "../serving.ts";
import { greeting } from "../workload.ts";
import { CLIENT_FIELD, MAX_REQUESTS, WINDOW_SECS } from "./client.ts";
import { runWorkers } from "./workers.ts";

const field = CLIENT_FIELD.toLowerCase();

class GreetingController {
  json(): object {
    return greeting();
  }
}
decorate(GreetingController.prototype, "json", Get("/json"), UseGuards(ThrottlerGuard));
Controller()(GreetingController);

class GreetingModule {}
Module({
  imports: [
    ThrottlerModule.forRoot({
      throttlers: [{ limit: MAX_REQUESTS, ttl: WINDOW_SECS * 1000 }],
      getTracker: (request) => String((request["headers"] as Record<string, unknown>)[field]),
    }),
  ],
  controllers: [GreetingController],
})(GreetingModule);

await runWorkers(async () => {
  const adapter = new FastifyAdapter();
  const app = await NestFactory.create<NestFastifyApplication>(GreetingModule, adapter, { logger: false });
  await app.listen(listenPort, "127.0.0.1");
});
