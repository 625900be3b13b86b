import { App } from "@framework/core";
import { socketClient, testClient } from "@framework/testing";
import { logging, logOf } from "./index.ts";

/** A test of an app that logs; prints the lines that the clients collected. */
const printed: unknown[] = [];
for (const connect of [testClient, socketClient]) {
  const app = new (App.with(logging))().enableLogging({ format: "text", destination: 2 });
  app.get("/", (request) => {
    logOf(request).warn("disk is slow", { ms: 7, password: "p" });
    throw new Error("disk is full");
  });
  await using client = connect(app, { env: "production" });
  await client.get("/");
  const known = ["ms", "password", "status", "error"];
  for (const { level, message, fields } of client.logs)
    printed.push([level, message, ...Object.entries(fields).filter(([name]) => known.includes(name))]);
}
console.log(JSON.stringify(printed));
