import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { expect, test } from "@jest/globals";
import { App, type RunOptions } from "@framework/core";
import { type SelfSigned, selfSigned } from "../harness/self-signed.ts";

const log = { info() {}, warn() {}, error() {} };
const embedded: RunOptions = { exitOnError: false, argv: [], environment: {}, port: 0, log };

test("speaks HTTPS with a certificate", async () => {
  const { cert, key } = selfSigned();
  const app = new App();
  app.get("/", () => ({ hello: true }));
  const { url, port, close } = await app.run({ ...embedded, tls: { cert, key } });
  expect(url).toBe(`https://127.0.0.1:${port}`);
  const socket = connect({ port, host: "127.0.0.1", ca: cert, checkServerIdentity: () => undefined });
  socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  expect(await text(socket)).toContain('{"hello":true}');
  await close();
});

test("requires a client certificate that is signed by the configured CA", async () => {
  const [own, client] = [selfSigned(), selfSigned("client")];
  const app = new App();
  app.get("/", () => ({ hello: true }));
  const tls = { ...own, ca: client.cert, requireClientCert: true };
  const { port, close } = await app.run({ ...embedded, tls });
  const send = async (credentials: { cert?: string; key?: string }): Promise<string> => {
    const options = { port, host: "127.0.0.1", ca: own.cert, checkServerIdentity: () => undefined };
    const socket = connect({ ...options, ...credentials });
    socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    return text(socket).catch(() => "refused");
  };
  expect(await send(client)).toContain('{"hello":true}');
  for (const other of [{}, selfSigned("client")]) expect(await send(other)).not.toContain("hello");
  await close();
});

test("rejects an invalid certificate, and the key of another certificate, before the app starts", async () => {
  const [one, other] = [selfSigned(), selfSigned()];
  const nonsense = "-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----";
  const app = new App();
  let started = false;
  app.onEvent("startup", () => void (started = true));
  for (const tls of [
    { cert: nonsense, key: one.key },
    { cert: one.cert, key: other.key },
  ]) {
    await expect(app.run({ ...embedded, tls })).rejects.toThrow("certificate and key cannot be used");
  }
  expect(started).toBe(false);
});

test.each([
  ["a key", ({ key }: SelfSigned) => key],
  [
    "a certificate that is not PEM",
    ({ cert }: SelfSigned) => Buffer.from(cert.split("\n").slice(1, -2).join(""), "base64"),
  ],
  ["a truncated certificate", ({ cert }: SelfSigned) => cert.slice(0, 200)],
])("rejects %s as `ca` before the app starts, because every client would be refused", async (_name, caOf) => {
  const own = selfSigned();
  const tls = { ...own, ca: caOf(selfSigned("client")), requireClientCert: true };
  await expect(new App().run({ ...embedded, tls })).rejects.toThrow(
    "TlsConfig.ca or caFile has no PEM certificate: every client would be refused",
  );
});
