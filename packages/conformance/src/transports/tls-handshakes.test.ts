import { connect as connectTcp } from "node:net";
import { Duplex } from "node:stream";
import { connect } from "node:tls";
import { describe, expect, test } from "@jest/globals";
import { createFastTransport, createNodeTransport } from "@framework/core/testing";
import { eventually, type MakeTransport, withServer } from "../harness/test-server.ts";
import { overTls } from "../harness/over-tls.ts";
import { rawClient } from "../harness/raw-client.ts";

/** Returns the first message of a handshake, as a client sends it. */
const clientHello = (): Promise<Buffer> =>
  new Promise((resolve) => {
    const socket = new Duplex({
      read: () => {},
      write: (bytes: Buffer, _encoding, done) => {
        resolve(bytes);
        done();
      },
    });
    connect({ socket });
  });

const setup = { drainIdleMs: 0, timeouts: { readHeaderSecs: 300 } };

describe.each([
  ["fast", createFastTransport],
  ["node", createNodeTransport],
])("%s", (_name, make: MakeTransport) => {
  test("a drain closes a connection that has not begun its handshake, like an idle one", () =>
    withServer(overTls(make), setup, async ({ port, transport, clock }) => {
      const silent = rawClient(connectTcp(port, "127.0.0.1"));
      await eventually(() => transport.connections === 1, "the connection is accepted");
      await clock.advance(1000);
      let cut = -1;
      const closed = transport.close(600_000).then((end) => (cut = end.cut));
      await clock.advance(1000);
      await closed;
      expect([cut, await silent.untilClosed()]).toEqual([0, ""]);
    }));

  test("a drain keeps a handshake that has begun", () =>
    withServer(overTls(make), setup, async ({ port, transport, clock }) => {
      const peer = rawClient(connectTcp(port, "127.0.0.1"));
      await peer.send((await clientHello()).toString("latin1"));
      await peer.until((received) => received !== "");
      const closed = transport.close(600_000);
      await clock.advance(5000);
      expect(transport.connections).toBe(1);
      peer.destroy();
      expect(await closed).toEqual({ cut: 0 });
    }));

  test("closes the connection of a client that disconnects during its handshake", () =>
    withServer(overTls(make), setup, async ({ port, transport }) => {
      const peer = rawClient(connectTcp(port, "127.0.0.1"));
      await peer.send((await clientHello()).toString("latin1"));
      await peer.until((received) => received !== "");
      peer.end();
      await eventually(() => transport.connections === 0, "the connection is gone");
      expect(peer.reset).toBe(false);
    }));
});
