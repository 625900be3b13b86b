import "reflect-metadata";
import { Controller, Get, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter } from "@nestjs/platform-fastify";

class Hello {
  hello() {
    return "hello";
  }
}
Get("/")(Hello.prototype, "hello", Object.getOwnPropertyDescriptor(Hello.prototype, "hello"));
Controller()(Hello);
class Main {}
Module({ controllers: [Hello] })(Main);

const app = await NestFactory.create(Main, new FastifyAdapter(), { logger: false });
await app.listen(0, "127.0.0.1");
console.log("ready");
