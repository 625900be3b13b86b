import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { App, type AppSettings } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { clientFor, socketClient, testClient } from "./test-client.ts";
import { waitFor } from "./wait-for.ts";
import { echo } from "./echo-app.test-kit.ts";

test("a start error rejects the first request, over fetch and over a socket", async () => {
  for (const connect of [testClient, socketClient]) {
    const app = new App();
    app.get("/", () => "one");
    app.get("/", () => "two");
    await using client = connect(app);
    await expect(client.get("/")).rejects.toMatchObject({ name: "ConfigurationError" });
  }
});

test("disposing stops the app once, over fetch and over a socket", async () => {
  for (const connect of [testClient, socketClient]) {
    const events: string[] = [];
    const app = new App()
      .onEvent("startup", () => void events.push("startup"))
      .onEvent("shutdown", () => void events.push("shutdown"));
    app.get("/", () => "hello");
    const client = connect(app);
    await client.get("/");
    await Promise.all([client[Symbol.asyncDispose](), client[Symbol.asyncDispose]()]);
    expect(events).toEqual(["startup", "shutdown"]);
  }
});

test("a client that sends no request does not start its app", async () => {
  const events: string[] = [];
  const app = new App().onEvent("startup", () => void events.push("startup"));
  await socketClient(app)[Symbol.asyncDispose]();
  await testClient(app)[Symbol.asyncDispose]();
  expect(events).toEqual([]);
});

test("other clients can use the URL of a socket client, and leave its app running", async () => {
  await using owner = socketClient(echo());
  const url = await owner.url();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  {
    await using guest = clientFor(url);
    expect((await guest.get("/plain")).text).toBe("plain");
  }
  expect((await owner.get("/plain")).text).toBe("plain");
});

test("url rejects a path without a leading slash, before the app starts", async () => {
  const events: string[] = [];
  const app = echo().onEvent("startup", () => void events.push("startup"));
  for (const connect of [testClient, socketClient]) {
    await using client = connect(app);
    for (const path of ["plain", "", "?a=1"])
      await expect(client.url(path)).rejects.toMatchObject({ code: "TESTING_BAD_OPTION" });
  }
  expect(events).toEqual([]);
});

test("url of a disposed client rejects, and does not start the app", async () => {
  const events: string[] = [];
  const app = echo().onEvent("startup", () => void events.push("startup"));
  const client = socketClient(app);
  await client[Symbol.asyncDispose]();
  try {
    await expect(client.url()).rejects.toMatchObject({ code: "TESTING_CLIENT_CLOSED" });
    expect(events).toEqual([]);
  } finally {
    await app.stop();
  }
});

test("nothing listens at the address after disposal", async () => {
  const owner = socketClient(echo());
  await owner.get("/plain");
  const url = await owner.url();
  await owner[Symbol.asyncDispose]();
  await using late = clientFor(url);
  await expect(late.get("/plain")).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("disposing closes the connections to a service that keeps running", async () => {
  const server = createServer((_request, response) => response.end("hello")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const connections = promisify(server.getConnections.bind(server));
  const client = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await client.get("/");
  expect(await connections()).toBe(1);
  await client[Symbol.asyncDispose]();
  await waitFor(async () => (await connections()) === 0, { subject: "the end of the connection" });
  server.close();
});

/** Passes on the settings that a logging feature receives. */
const listener: Feature<{ enableListening(onSettings: (settings: AppSettings) => void): unknown }> = {
  name: "listener",
  install: (host) => ({ enableListening: (onSettings) => host.life.onStart(onSettings) }),
};

test("both clients leave the log of a logging feature enabled by default", async () => {
  for (const connect of [testClient, socketClient]) {
    const seen: [boolean, boolean | undefined][] = [];
    for (const options of [{}, { logs: true }, { logs: false }, { env: "production" as const }]) {
      const app = new (App.with(listener))();
      app.enableListening(({ logs, quiet }) => void seen.push([logs, quiet]));
      await using client = connect(app, options);
      await client.get("/");
    }
    expect(seen).toEqual([
      [true, false],
      [true, false],
      [false, true],
      [false, false],
    ]);
  }
});
