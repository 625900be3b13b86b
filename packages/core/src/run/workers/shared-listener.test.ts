import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { SharedListener } from "./shared-listener.ts";

/** A listener that rests, and counts what it accepts. */
const resting = async (): Promise<{ listener: SharedListener; port: number; accepted(): number }> => {
  let accepted = 0;
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const transport = {
    connections: 10, // above the mean of all workers, which is not known yet
    accepted: 0,
    accept: (socket: { destroy(): void }) => {
      accepted++;
      socket.destroy();
    },
    listen: () => Promise.reject(new Error("not used")),
    drain: () => {},
    close: () => Promise.resolve({ cut: 0 }),
    shed: () => {},
  };
  const listener = new SharedListener(server, transport as never, undefined);
  listener.spread(() => {});
  const first = connect(port, "127.0.0.1");
  await once(first, "close"); // after it the worker has more than its share
  accepted = 0;
  return { listener, port, accepted: () => accepted };
};

test("a listener that closes has accepted every connection in its queue, also when it rests", async () => {
  const { listener, port, accepted } = await resting();
  const clients = Array.from({ length: 50 }, () => connect(port, "127.0.0.1"));
  await Promise.all(clients.map((client) => once(client, "connect")));
  await listener.close();
  expect(accepted()).toBe(50);
});
