import { waitFor } from "@framework/testing";
import { describe, expect, test } from "@jest/globals";
import type { CloseInfo } from "./index.ts";
import { serve } from "./socket-app.test-kit.ts";

/** Opens the global WebSocket client, which is undici's in Node, and records its messages. */
const open = async (url: string, protocols: string[] = []) => {
  const client = new globalThis.WebSocket(url.replace("http", "ws"), protocols);
  client.binaryType = "arraybuffer";
  const received: unknown[] = [];
  client.addEventListener("message", ({ data }) => received.push(data));
  const ended = Promise.withResolvers<{ code: number; reason: string; wasClean: boolean }>();
  client.addEventListener("close", ({ code, reason, wasClean }) => ended.resolve({ code, reason, wasClean }));
  await new Promise((resolve) => {
    for (const event of ["open", "close"]) client.addEventListener(event, resolve);
  });
  return { client, received, closed: ended.promise };
};

const large = new Uint8Array(
  Buffer.alloc(
    16 * 1024 * 1024,
    Uint8Array.from({ length: 251 }, (_, at) => at),
  ),
);

describe.each(["fast", "node"] as const)("undici's client on the %s transport", (transport) => {
  // The transports differ only until the upgrade, so only one is tested with the largest messages.
  test.each([
    [transport === "fast" ? 16 : 1, true],
    [transport === "fast" ? 1 : 16, false],
  ])(
    "receives text and bytes back with their types, up to %d MiB, with compression: %s",
    async (mebibytes, deflate) => {
      const size = mebibytes * 1024 * 1024;
      await using s = await serve(
        (app) => {
          app.enableWebSocket({ maxMessageBytes: size, deflate });
          app.websocket("/", async (socket) => {
            for await (const message of socket) await socket.send(message);
          });
        },
        { transport },
      );
      const { client, received, closed } = await open(s.url);
      const small = Uint8Array.of(0, 255);
      const bytes = large.subarray(0, size);
      for (const message of ["héllo \u{1F600}", small, "", "x".repeat(5000), bytes]) client.send(message);
      await waitFor(() => received.length === 5);
      expect(received.slice(0, 4)).toEqual(["héllo \u{1F600}", small.buffer, "", "x".repeat(5000)]);
      expect(Buffer.from(received[4] as ArrayBuffer).equals(bytes)).toBe(true);
      client.send("y".repeat(size));
      await waitFor(() => received.length === 6);
      expect(received[5] === "y".repeat(size)).toBe(true);
      client.close(1000, "done");
      expect(await closed).toEqual({ code: 1000, reason: "done", wasClean: true });
    },
  );

  test("gets the server's close code and reason, and the server gets the client's", async () => {
    const ends: (CloseInfo | null)[] = [];
    await using s = await serve(
      (app) => {
        app.websocket("/server", (socket) => socket.close(4001, "so there"));
        app.websocket("/client", async (socket) => {
          await socket.recv();
          ends.push(socket.closed);
        });
      },
      { transport },
    );
    const byServer = await open(`${s.url}/server`);
    expect(await byServer.closed).toEqual({ code: 4001, reason: "so there", wasClean: true });
    for (const end of [
      { code: 1000, reason: "" },
      { code: 4002, reason: "byé" },
    ]) {
      const { client, closed } = await open(`${s.url}/client`);
      client.close(end.code, end.reason);
      expect(await closed).toEqual({ ...end, wasClean: true });
      await waitFor(() => ends.length > 0);
      expect(ends.splice(0)).toEqual([end]);
    }
  });

  test("negotiates a sub-protocol, and a guard refuses it before the upgrade", async () => {
    await using s = await serve(
      (app) => {
        app.websocket("/", { protocols: ["v1", "v2"] }, (socket) => socket.sendText(socket.protocol));
        app.websocket("/denied", { guards: [() => false] }, () => {});
      },
      { transport },
    );
    const { client, received, closed } = await open(s.url, ["v9", "v2"]);
    await closed;
    expect([client.protocol, received]).toEqual(["v2", ["v2"]]);
    expect(await (await open(`${s.url}/denied`)).closed).toMatchObject({ code: 1006, wasClean: false });
  });
});
