import "reflect-metadata";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { INestApplication } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { Test } from "@nestjs/testing";
import request from "supertest";
import { AppModule } from "./app.module.ts";
import { differences } from "../contract/differences.ts";
import { API_KEY } from "../contract/exchanges.ts";

let app: INestApplication;
beforeAll(async () => {
  const module = await Test.createTestingModule({ imports: [AppModule.withKey("key")] }).compile();
  app = module.createNestApplication();
  await app.init();
});
afterAll(() => app.close());

test("a book that was added is found", async () => {
  const server = app.getHttpServer();
  const created = await request(server).post("/books").set("X-API-Key", "key").send({ title: "Emma" });
  expect(created.status).toBe(201);
  const found = await request(server).get(`/books/${created.body.id}`);
  expect(found.body).toMatchObject({ title: "Emma", author: "Unknown" });
});

test("the service meets the contract", async () => {
  const service = await NestFactory.create(AppModule.withKey(API_KEY), { logger: false });
  await service.listen(0, "127.0.0.1");
  expect(await differences(await service.getUrl())).toEqual([]);
  await service.close();
});
