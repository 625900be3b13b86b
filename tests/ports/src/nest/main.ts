import "reflect-metadata";
import { NestFactory } from "@nestjs/core";
import { AppModule } from "./app.module.ts";

const app = await NestFactory.create(AppModule.withKey(process.env["API_KEY"] ?? ""));
app.enableShutdownHooks();
await app.listen(process.env["PORT"] ?? 8000);
