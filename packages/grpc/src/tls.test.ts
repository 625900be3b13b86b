import { selfSigned } from "@framework/conformance";
import { systemClock } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { connect } from "node:tls";
import { grpcClient } from "./client.ts";
import { aBook, catalog, failure, serve } from "./grpc-app.test-kit.ts";
import type { Certificates } from "./index.ts";

const server = selfSigned("localhost");
const next = selfSigned("localhost");

/** Returns the certificate, in PEM, that a new connection gets. */
const presentedCertificate = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(
      { port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2"] },
      () => {
        resolve(socket.getPeerX509Certificate()?.toString() ?? "");
        socket.destroy();
      },
    );
    socket.on("error", reject);
  });

test("new connections get reloaded certificates, and a failed reload keeps the current ones", async () => {
  let certificates: () => Certificates = () => server;
  const periodic: (() => void)[] = [];
  const clock = {
    now: () => performance.now(),
    date: () => Date.now(),
    after: (delayMs: number, task: () => void) => {
      const timer = setTimeout(task, delayMs);
      return () => clearTimeout(timer);
    },
    every: (_: number, task: () => void) => {
      periodic.push(task);
      return () => {};
    },
  };
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0", tls: { load: () => certificates() }, clock });
    app.addGrpcService(catalog, { GetBook: ({ id }) => aBook(id) });
  });
  const one = await presentedCertificate(served.port);
  certificates = () => {
    throw new Error("the file is incomplete");
  };
  periodic.forEach((task) => task());
  expect(await presentedCertificate(served.port)).toBe(one);
  certificates = () => next;
  periodic.forEach((task) => task());
  let found = one;
  while (found === one) found = await presentedCertificate(served.port);
  expect(found.replaceAll(/\s/g, "")).toBe(next.cert.replaceAll(/\s/g, ""));
});

test("a reload that takes longer than a later one does not bring back its older certificates", async () => {
  const periodic: (() => void)[] = [];
  const clock = { ...systemClock, every: (_: number, task: () => void) => (periodic.push(task), () => {}) };
  const slow = Promise.withResolvers<Certificates>();
  const loads = [server, slow.promise, next];
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0", tls: { load: () => loads.shift() ?? next }, clock });
  });
  const old = await presentedCertificate(served.port);
  for (const task of [...periodic, ...periodic]) task();
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  expect(await presentedCertificate(served.port)).not.toBe(old);
  slow.resolve(server);
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  expect(await presentedCertificate(served.port)).not.toBe(old);
});

test("certificates are reloaded at least every 24 days: a longer period would overflow the timer, and reload all the time", async () => {
  const periods: number[] = [];
  const clock = { ...systemClock, every: (ms: number) => (periods.push(ms), () => {}) };
  await using _served = await serve((app) => {
    const tls = { load: () => server, reloadSecs: 30 * 86_400 };
    app.enableGrpc({ address: "127.0.0.1:0", tls, clock });
  });
  expect(Math.max(...periods)).toBe(2_147_483_000);
});

test("mutual TLS accepts clients with a certificate of the authority, and refuses others", async () => {
  const client = selfSigned("client");
  await using served = await serve((app) => {
    const load = (): Certificates => ({ ...server, ca: client.cert });
    app.enableGrpc({ address: "127.0.0.1:0", tls: { load, requireClientCert: true } });
    app.addGrpcService(catalog, {
      GetBook: ({ id }, { certificate }) => ({ ...aBook(id), rating: certificate === null ? 0 : 1 }),
    });
  });
  const target = `localhost:${served.port}`; // the certificate is for localhost
  using known = grpcClient(catalog, target, { tls: { ca: server.cert, cert: client.cert, key: client.key } });
  expect(await known.GetBook({ id: 1 })).toMatchObject({ rating: 1 });
  using unknown = grpcClient(catalog, target, { tls: { ca: server.cert } });
  expect(await failure(unknown.GetBook({ id: 1 }))).toMatchObject({ status: "UNAVAILABLE" });
});

test("credentials of a client that are undefined count as not given", async () => {
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0", tls: { load: () => server } });
    app.addGrpcService(catalog, { GetBook: ({ id }) => aBook(id) });
  });
  const missing = undefined as never; // most programs compile without exactOptionalPropertyTypes
  const tls = { ca: server.cert, cert: missing, key: missing };
  using client = grpcClient(catalog, `localhost:${served.port}`, { tls });
  expect(await client.GetBook({ id: 1 })).toMatchObject({ id: 1 });
  const half = { ca: server.cert, cert: "pem", key: missing };
  expect(() => grpcClient(catalog, "localhost:1", { tls: half })).toThrow("GrpcClientOptions.tls must be");
});

const nonsense = { cert: "nonsense", key: "nonsense" };

test("certificates that cannot be used fail the start, together with other mistakes if they load synchronously", async () => {
  const startWith = async (load: () => Certificates | Promise<Certificates>): Promise<unknown> =>
    failure(
      serve((app) => {
        app.enableGrpc({ address: "127.0.0.1:0", tls: { load } });
        app.addGrpcService("ok.A", ["a b"]);
      }),
    );
  const codes = [{ code: "GRPC_BAD_SERVICE" }, { code: "GRPC_BAD_TLS" }];
  expect(await startWith(() => nonsense)).toMatchObject({ problems: codes });
  const missing = (): never => {
    throw new Error("no such file");
  };
  expect(await startWith(missing)).toMatchObject({ problems: codes });
  expect(await startWith(async () => nonsense)).toMatchObject({ problems: codes.slice(0, 1) });
});

test("certificates that load asynchronously and cannot be used fail the start after one load", async () => {
  let loads = 0;
  const load = async (): Promise<Certificates> => {
    loads++;
    return nonsense;
  };
  const start = serve((app) => app.enableGrpc({ address: "127.0.0.1:0", tls: { load } }));
  expect(await failure(start)).toMatchObject({ cause: { code: "GRPC_BAD_TLS" } });
  expect(loads).toBe(1);
});

test("without requireClientCert a client needs no certificate, but a certificate of another authority is refused", async () => {
  const client = selfSigned("client");
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0", tls: { load: () => ({ ...server, ca: client.cert }) } });
    app.addGrpcService(catalog, {
      GetBook: ({ id }, { certificate }) => ({ ...aBook(id), rating: certificate === null ? 0 : 1 }),
    });
  });
  const target = `localhost:${served.port}`;
  using known = grpcClient(catalog, target, { tls: { ca: server.cert, cert: client.cert, key: client.key } });
  expect(await known.GetBook({ id: 1 })).toMatchObject({ rating: 1 });
  using unknown = grpcClient(catalog, target, { tls: { ca: server.cert } });
  expect(await unknown.GetBook({ id: 1 })).toMatchObject({ rating: 0 });
  using forged = grpcClient(catalog, target, { tls: { ca: server.cert, cert: next.cert, key: next.key } });
  expect(await failure(forged.GetBook({ id: 1 }))).toMatchObject({ status: "UNAVAILABLE" });
});

test.each([
  ["without ca", undefined],
  ["with an empty ca", ""],
])("a reload %s keeps the current certificates", async (_name, ca) => {
  const client = selfSigned("client");
  const periodic: (() => void)[] = [];
  const clock = { ...systemClock, every: (_: number, task: () => void) => (periodic.push(task), () => {}) };
  let certificates: Certificates = { ...server, ca: client.cert };
  await using served = await serve((app) => {
    const tls = { load: () => certificates, requireClientCert: true };
    app.enableGrpc({ address: "127.0.0.1:0", tls, clock });
    app.addGrpcService(catalog, { GetBook: ({ id }) => aBook(id) });
  });
  const before = await presentedCertificate(served.port);
  certificates = { cert: next.cert, key: next.key, ...(ca !== undefined && { ca }) };
  periodic.forEach((task) => task());
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  expect(await presentedCertificate(served.port)).toBe(before);
});

test.each<[string, () => unknown, string]>([
  ["rejects", () => Promise.reject(new Error("vault: sealed")), "vault: sealed"],
  ["returns nothing", () => Promise.resolve(), "load must return { cert, key }"],
  ["returns no key", () => Promise.resolve({ cert: server.cert }), "load must return { cert, key }"],
])("if load %s, the start error has the setting and the cause", async (_, load, reason) => {
  const start = serve((app) => app.enableGrpc({ address: "127.0.0.1:0", tls: { load: load as never } }));
  const message = `the certificates of GrpcConfig.tls cannot be loaded or used: ${reason}`;
  expect(await failure(start)).toMatchObject({
    message: expect.stringContaining(message),
    cause: { code: "GRPC_BAD_TLS", message: expect.stringContaining(message) },
  });
});

test("an empty ca fails the start", async () => {
  const start = serve((app) =>
    app.enableGrpc({
      address: "127.0.0.1:0",
      tls: { load: () => ({ ...server, ca: "" }), requireClientCert: true },
    }),
  );
  expect(await failure(start)).toMatchObject({ code: "GRPC_BAD_TLS" });
});
