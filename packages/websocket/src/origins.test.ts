import { once } from "node:events";
import { App } from "@framework/core";
import { cors } from "@framework/cors";
import { expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { websocket } from "./index.ts";
import { serve } from "./socket-app.test-kit.ts";

test("an origin that CORS lists with credentials may connect; `*` is not enough", async () => {
  const mayConnect = async (origins: string, credentials: boolean): Promise<boolean> => {
    const app = new (App.with(cors, websocket))().enableCors(origins, { credentials, headers: [] });
    app.websocket("/", async (socket) => {
      await socket.recv();
    });
    const running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false });
    const headers = { origin: "https://app.example" };
    const client = new WebSocket(running.url.replace("http", "ws"), { headers });
    const opened = await Promise.race([
      once(client, "open").then(() => true),
      once(client, "close").then(() => false),
    ]).catch(() => false);
    client.terminate();
    await running.close();
    return opened;
  };
  expect(await mayConnect("https://app.example", true)).toBe(true);
  expect(await mayConnect("https://other.example", true)).toBe(false);
  expect(await mayConnect("https://app.example", false)).toBe(false);
  expect(await mayConnect("*", false)).toBe(false);
});

test("a page of the service itself may connect even if a proxy adds the default port to Host", async () => {
  await using s = await serve((app) => {
    app.websocket("/", async (socket) => {
      await socket.recv();
    });
  });
  const open = (host: string, origin: string) => s.open("/", { headers: { host, origin } });
  await open("example.com:80", "http://example.com");
  await expect(open("example.com:81", "http://example.com")).rejects.toThrow("403");
  await expect(open("example.com", "http://example.com:80.evil")).rejects.toThrow("403");
});
