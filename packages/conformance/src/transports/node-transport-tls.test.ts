import { connect as connectTcp } from "node:net";
import { connect, type ConnectionOptions } from "node:tls";
import { expect, test } from "@jest/globals";
import { createNodeTransport, type Serve, type TransportTls } from "@framework/core/testing";
import { rawClient, type RawClient } from "../harness/raw-client.ts";
import { selfSigned } from "../harness/self-signed.ts";
import { offeredUpgrade, uppercaseEcho, upgradeRequest } from "../suite/upgrades.ts";
import { eventually, type MakeTransport, withServer } from "../harness/test-server.ts";

const server = selfSigned();
const client = selfSigned("client");
const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

const withTls =
  (tls: Partial<TransportTls> = {}): MakeTransport =>
  (options) =>
    createNodeTransport({ ...options, tls: { ...server, ...tls } });

/** Opens a connection; rejects when the handshake fails, which a client of TLS 1.3 only detects when it reads. */
const dial = async (port: number, options: ConnectionOptions = {}): Promise<RawClient> => {
  const socket = connect({ port, host: "127.0.0.1", ca: server.cert, servername: "localhost", ...options });
  await new Promise<void>((resolve, reject) => {
    socket.once("secureConnect", resolve);
    socket.once("error", reject);
  });
  return rawClient(socket);
};

test("serves over TLS, and reports the https scheme to the app", () =>
  withServer(withTls(), {}, async ({ port, served, transport }) => {
    const peer = await dial(port);
    await peer.send(get + get);
    expect((await peer.replies(2)).map(({ body }) => body)).toEqual(["hello", "hello"]);
    expect(served.map(({ scheme, remoteAddress }) => [scheme, remoteAddress])).toEqual([
      ["https", "127.0.0.1"],
      ["https", "127.0.0.1"],
    ]);
    expect(transport.connections).toBe(1);
    peer.destroy();
    await eventually(() => transport.connections === 0, "the connection is gone");
  }));

test("refuses malformed requests over TLS as without it, and closes the connection cleanly", () =>
  withServer(withTls(), {}, async ({ port, served }) => {
    const peer = await dial(port);
    await peer.send(`GET / HTTP/1.1\r\nHost: a,b\r\n\r\n${get}`);
    expect(await peer.untilClosed()).toMatch(/^HTTP\/1\.1 400 [^]*"status":400}$/);
    expect([served.length, peer.reset]).toEqual([0, false]);
  }));

test("accepts only clients with a certificate that the CA signed, when required", () =>
  withServer(withTls({ requireClientCert: true, ca: client.cert }), {}, async ({ port, served }) => {
    const trusted = await dial(port, client);
    await trusted.send(get);
    await trusted.replies(1);
    const untrusted = selfSigned("client");
    for (const options of [{}, untrusted]) {
      const peer = await dial(port, options);
      await peer.send(get);
      expect(await peer.untilClosed()).toBe("");
    }
    expect(served.length).toBe(1);
  }));

test("refuses clients below the minimum TLS version", () =>
  withServer(withTls({ minVersion: "1.3" }), {}, async ({ port }) => {
    await expect(dial(port, { maxVersion: "TLSv1.2" })).rejects.toThrow("protocol version");
    const peer = await dial(port);
    await peer.send(get);
    expect((await peer.replies(1))[0]?.status).toBe(200);
  }));

test("closes a connection that does not speak TLS, is silent, or fails in the handshake", () =>
  withServer(withTls(), { timeouts: { readHeaderSecs: 0.05 } }, async ({ port, transport }) => {
    const peers = ["", get, "\x16\x03\x01\x00\x05hello"].map((bytes) => {
      const socket = connectTcp(port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write(bytes);
      return rawClient(socket);
    });
    for (const peer of peers) expect(await peer.untilClosed()).not.toContain("HTTP/1.1 200");
    await eventually(() => transport.connections === 0, "all connections are gone");
  }));

test("survives a reset in the middle of a handshake", () =>
  withServer(withTls(), {}, async ({ port, transport }) => {
    const socket = connectTcp(port, "127.0.0.1");
    socket.write("\x16\x03\x01");
    await eventually(() => transport.connections === 1, "the connection is accepted");
    socket.resetAndDestroy();
    await eventually(() => transport.connections === 0, "the connection is gone");
    const peer = await dial(port);
    await peer.send(get);
    expect((await peer.replies(1))[0]?.status).toBe(200);
  }));

test("throws for an invalid certificate", () => {
  const bad = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  return expect(withServer(withTls({ cert: bad }), {}, () => Promise.resolve())).rejects.toThrow("asn1");
});

test("passes on the decrypted connection of an accepted upgrade, and reports a drain", () => {
  const serve: Serve = (source) => offeredUpgrade(source).accept(uppercaseEcho);
  return withServer(withTls(), { serve }, async ({ port, served, transport, clock }) => {
    const peer = await dial(port);
    await peer.send(`${upgradeRequest}one `);
    await peer.until((received) => received.endsWith("hello;ONE "));
    await peer.send("two");
    await peer.until((received) => received.endsWith("TWO"));
    expect([served[0]?.scheme, transport.connections, transport.inFlight]).toEqual(["https", 1, 0]);
    await clock.advance(500_000);
    const closed = transport.close(1000);
    expect(await peer.untilClosed()).toMatch(/TWObye$/);
    expect(await closed).toEqual({ cut: 0 });
  });
});

test("answers over HTTP when an upgrade over TLS is not accepted", () =>
  withServer(withTls(), {}, async ({ port, transport }) => {
    const peer = await dial(port);
    await peer.send(upgradeRequest + get);
    expect(await peer.untilClosed()).toMatch(/^HTTP\/1\.1 200 [^]*connection: close\r\n\r\nhello$/);
    await eventually(() => transport.connections === 0, "the connection is gone");
  }));
