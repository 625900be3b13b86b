import { once } from "node:events";
import { connect } from "node:net";
import { untilReady } from "./until-ready.ts";

/** Resolves once a server listens on a port of the loopback address. */
export const checkPort = async (port: number): Promise<void> => {
  await untilReady(`port ${port}`, async () => {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
    } finally {
      socket.destroy();
    }
  });
};
