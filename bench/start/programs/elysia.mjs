import { node } from "@elysiajs/node";
import { Elysia } from "elysia";

new Elysia({ adapter: node() })
  .get("/", () => "hello")
  .listen({ port: 0, hostname: "127.0.0.1" }, () => console.log("ready"));
