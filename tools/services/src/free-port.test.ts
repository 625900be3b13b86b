import { createServer, type Server } from "node:net";
import { once } from "node:events";
import { expect, test } from "@jest/globals";
import { freePort } from "./free-port.ts";

/** Listens on the first free port from `minPort`. */
const listenFrom = async (minPort: number): Promise<readonly [port: number, server: Server]> => {
  const server = createServer();
  try {
    await once(server.listen(minPort, "127.0.0.1"), "listening");
    return [minPort, server];
  } catch {
    return await listenFrom(minPort + 1);
  }
};

test("free ports are distinct, below the ephemeral range, and never the cluster bus port of another", async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(new Set(ports).size).toBe(50);
  expect(ports.filter((port) => port < 12_000 || port >= 22_000)).toEqual([]);
});

test("freePort skips a taken port, and a port whose bus port, 10,000 above, is taken", async () => {
  const [taken, one] = await listenFrom(15_000);
  const [bus, other] = await listenFrom(26_000);
  const candidates = [taken, bus - 10_000];
  const offered: number[] = [];
  const random = (): number => {
    const port = candidates.shift();
    if (port === undefined) return Math.random();
    offered.push(port);
    return (port - 12_000 + 0.5) / 10_000;
  };
  const port = await freePort(random);
  expect(offered).toEqual([taken, bus - 10_000]);
  expect(offered).not.toContain(port);
  for (const server of [one, other]) server.close();
});
