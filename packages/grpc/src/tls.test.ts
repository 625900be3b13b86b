import { selfSigned } from "@framework/conformance";
import { expect, test } from "@jest/globals";
import { connect } from "node:tls";
import { grpcClient } from "./client.ts";
import { aBook, catalog, failure, serve } from "./grpc-app.test-kit.ts";
import type { Certificates } from "./index.ts";

const server = selfSigned("localhost");
const next = selfSigned("localhost");

/** The certificate that a new connection gets. */
const presented = (port: number): Promise<string> =>
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

test("new connections get reloaded certificates, and a failed reload keeps the present ones", async () => {
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
  const one = await presented(served.port);
  certificates = () => {
    throw new Error("the file is half written");
  };
  periodic.forEach((task) => task());
  expect(await presented(served.port)).toBe(one);
  certificates = () => next;
  periodic.forEach((task) => task());
  let found = one;
  while (found === one) found = await presented(served.port);
  expect(found.replaceAll(/\s/g, "")).toBe(next.cert.replaceAll(/\s/g, ""));
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
  const target = `localhost:${served.port}`; // the name in the certificate
  using known = grpcClient(catalog, target, { tls: { ca: server.cert, cert: client.cert, key: client.key } });
  expect(await known.GetBook({ id: 1 })).toMatchObject({ rating: 1 });
  using unknown = grpcClient(catalog, target, { tls: { ca: server.cert } });
  expect(await failure(unknown.GetBook({ id: 1 }))).toMatchObject({ status: "UNAVAILABLE" });
});

test("certificates that cannot be used fail the start", async () => {
  const start = serve((app) =>
    app.enableGrpc({ address: "127.0.0.1:0", tls: { load: () => ({ cert: "nonsense", key: "nonsense" }) } }),
  );
  expect(await failure(start)).toMatchObject({ cause: { code: "GRPC_BAD_TLS" } });
});
