/** Nest on Fastify, with its `CacheInterceptor`. */
import { CacheInterceptor, CacheModule } from "@nestjs/cache-manager";
import { Controller, Get, Module, UseInterceptors } from "@nestjs/common";
import { decorate, startNest } from "../nest-service.ts";
import { FRESH_SECS, report } from "./report.ts";

class ReportController {
  report(): object {
    return report();
  }
}
decorate(ReportController.prototype, "report", Get("/report"), UseInterceptors(CacheInterceptor));
Controller()(ReportController);

class ReportModule {}
Module({
  imports: [CacheModule.register({ ttl: FRESH_SECS * 1000 })],
  controllers: [ReportController],
})(ReportModule);
await startNest(ReportModule);
