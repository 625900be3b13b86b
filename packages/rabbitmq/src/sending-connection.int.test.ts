import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { systemClock } from "@framework/core/feature";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { LIMIT_MS } from "./faults.test-kit.ts";
import { newName, TestProcess } from "./process.test-kit.ts";

/** Starts a proxy that can refuse connections with one purpose. */
const startGate = async (to: string, purpose: string) => {
  const target = new URL(to);
  const chosen = new Set<Socket>();
  let isOpen = true;
  let refused = 0;
  const server = createServer((front) => {
    const back = connect(Number(target.port), target.hostname);
    for (const [socket, peer] of [
      [front, back],
      [back, front],
    ] as const) {
      socket.on("error", () => {}); // the close follows
      socket.on("close", () => peer.destroy());
    }
    back.pipe(front);
    front.on("data", (chunk: Buffer) => {
      if (chunk.includes(purpose)) chosen.add(front); // the first frames have the connection name
      if (isOpen || !chosen.has(front)) return void back.write(chunk);
      refused++;
      front.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: to.replace(target.host, `127.0.0.1:${(server.address() as AddressInfo).port}`),
    get refused() {
      return refused;
    },
    close() {
      isOpen = false;
      for (const socket of chosen) socket.destroy();
    },
    open() {
      isOpen = true;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
};

withServer("rabbitmq", (url) => {
  test.concurrent(
    "a sending process is healthy only with both connections",
    async () => {
      await using gate = await startGate(url, "framework test sending");
      await using process = new TestProcess({ url: gate.url });
      const health = async (): Promise<string> =>
        await process.broker.health(AbortSignal.timeout(5000)).then(() => "healthy", String);
      await process.declare();
      expect(await health()).toBe("healthy");
      expect(await process.send([{}])).toEqual([{ ok: true }]);
      expect(await health()).toBe("healthy");
      gate.close();
      await waitFor(() => process.lines.all.join().includes("sending was lost"));
      expect(await health()).toContain("the connection for sending is unavailable");
      gate.open();
      expect(await process.send([{}])).toEqual([{ ok: true }]);
      expect(await health()).toBe("healthy");
    },
    LIMIT_MS,
  );

  test.concurrent(
    "while a send waits, connection attempts are at most 1 s apart",
    async () => {
      await using gate = await startGate(url, "framework test sending");
      const after = (ms: number, work: () => void): (() => void) =>
        ms > 1000 ? () => {} : systemClock.after(ms / 20, work); // a longer backoff never ends
      const clock = { ...systemClock, after };
      await using process = new TestProcess({ url: gate.url }, newName(), clock, () => 0.99);
      await process.declare();
      gate.close();
      const sent = process.send([{}]);
      await waitFor(() => gate.refused > 12);
      gate.open();
      expect(await sent).toEqual([{ ok: true }]);
    },
    LIMIT_MS,
  );
});
