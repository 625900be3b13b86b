import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { SharedListener } from "./shared-listener.ts";

/** A listener that backs off, and counts accepted connections. */
const backedOffListener = async (): Promise<{
  listener: SharedListener;
  port: number;
  accepted(): number;
}> => {
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
  listener.balance(() => {});
  const first = connect(port, "127.0.0.1");
  await once(first, "close"); // after it the worker has more than its share
  accepted = 0;
  return { listener, port, accepted: () => accepted };
};

test("a listener accepts every connection in its queue before it closes, even while it backs off", async () => {
  const { listener, port, accepted } = await backedOffListener();
  const clients = Array.from({ length: 50 }, () => connect(port, "127.0.0.1"));
  await Promise.all(clients.map((client) => once(client, "connect")));
  await listener.close();
  expect(accepted()).toBe(50);
});

test("a listener without a free descriptor keeps accepting instead of backing off, and backs off later", async () => {
  const program = `
    import { once } from "node:events";
    import { closeSync, openSync } from "node:fs";
    import { connect, createServer } from "node:net";
    import { SharedListener } from ${JSON.stringify(new URL("./shared-listener.ts", import.meta.url).href)};
    const taken = [];
    const openAll = () => {
      try {
        for (;;) taken.push(openSync("/dev/null"));
      } catch (error) {
        console.log(error.code);
      }
    };
    const closeAll = () => taken.splice(0).forEach((fd) => closeSync(fd));
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address();
    let accepted = 0;
    const transport = {
      connections: 10, // above the mean of all workers, which is not known yet
      accept(socket) {
        socket.destroy();
        if (++accepted === 1) openAll();
      },
    };
    const listener = new SharedListener(server, transport, undefined);
    listener.balance(() => {});
    const first = connect(port, "127.0.0.1");
    await once(first, "close");
    closeAll();
    for (let count = 0; count < 3; count++) await once(connect(port, "127.0.0.1"), "close");
    console.log(accepted, server.listening); // a server that has backed off was transferred, and no longer listens
    await listener.close();
  `;
  const shell = 'ulimit -n 64 && exec "$0" --disable-warning=ExperimentalWarning --input-type=module -e "$1"';
  const { stdout } = await promisify(execFile)("/bin/sh", ["-c", shell, process.execPath, program]);
  expect(stdout).toBe("EMFILE\n4 false\n");
});
