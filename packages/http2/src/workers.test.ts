import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { connect, type ClientHttp2Session } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledProgram } from "@framework/bundled-sources";
import { type SelfSigned, selfSigned, turn } from "@framework/conformance";
import { requestEveryWorker, type Program, startProgram } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { connectFrames, frame, get as getFrame, number32, RST_STREAM } from "./raw-frames.test-kit.ts";

const CANCEL = 8;
/** The default of `resetBurst`. */
const RESET_BURST = 200;

interface Reply {
  readonly pid: number;
  readonly http?: string;
}

const get = (session: ClientHttp2Session, path: string): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const stream = session.request({ ":path": path });
    let text = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    stream.on("error", reject).on("end", () => resolve(JSON.parse(text) as Reply));
  });

const rawOf = ({ cert }: SelfSigned): string => cert.replaceAll(/-----[A-Z ]+-----|\n/g, "");

/** Sends a request over a new connection; returns the reply and the server's certificate. */
const visit = async (url: string): Promise<Reply & { readonly raw: string }> => {
  const session = connect(url, { rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => {
    session.once("connect", () => resolve());
    session.once("error", reject);
  });
  const { raw } = (session.socket as import("node:tls").TLSSocket).getPeerCertificate();
  const reply = await get(session, "/");
  session.close();
  return { ...reply, raw: raw.toString("base64") };
};

/** Starts two workers. */
const workers = (env: Readonly<Record<string, string>> = {}): Promise<Program> =>
  startProgram(bundledProgram(new URL("./workers.test-program.ts", import.meta.url)), {
    env: { ...env, FRAMEWORK_ENV: "production" },
    conditions: ["@framework/source"],
    timeoutMs: 60_000,
    stopTimeoutMs: 30_000,
  });

test("two workers renew the certificate on SIGHUP without a failed request, and finish requests in a drain", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "http2-"));
  const [certFile, keyFile] = [join(folder.path, "tls.crt"), join(folder.path, "tls.key")];
  const put = ({ cert, key }: SelfSigned): void => {
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
  };
  const [first, second] = [selfSigned(), selfSigned()];
  put(first);
  await using program = await workers({ CERT_FILE: certFile, KEY_FILE: keyFile });
  const { url, pid } = program;
  const open = connect(url, { rejectUnauthorized: false });
  open.on("error", () => {});
  const before = await visit(url);
  expect([before.raw, before.http]).toEqual([rawOf(first), "2"]);

  put(second);
  process.kill(pid, "SIGHUP");
  const renewedWorkers = new Set<number>();
  for (let visits = 0; renewedWorkers.size < 2 && visits < 5000; visits++) {
    const [{ raw, pid: worker }] = await Promise.all([visit(url), get(open, "/")]);
    if (raw === rawOf(second)) renewedWorkers.add(worker);
  }
  expect(renewedWorkers.size).toBe(2);

  const inFlight = Array.from({ length: 5 }, () => get(open, "/slow"));
  await get(open, "/");
  const exit = program.stop();
  const replies = await Promise.all(inFlight);
  expect(new Set(replies.map(({ pid: worker }) => worker)).size).toBe(1);
  expect(await exit).toEqual({ code: 0, signal: null });
  open.destroy();
});

/** Cancels requests as fast as they are sent, until the connection is closed. @returns number of requests sent */
const resetRapidly = async (port: number): Promise<number> => {
  const client = connectFrames(port);
  let stream = -1;
  const next = (): Buffer =>
    Buffer.concat([getFrame((stream += 2), "/slow"), frame(RST_STREAM, 0, stream, number32(CANCEL))]);
  for (let round = 0; !client.closed && round < 400; round++) {
    client.send(...Array.from({ length: 100 }, next));
    await turn(4);
  }
  await client.untilClosed();
  return (stream + 1) / 2;
};

test("rapid resets end their connections, and both workers keep serving other connections", async () => {
  await using program = await workers();
  const others: ClientHttp2Session[] = [];
  const open = (): Promise<Reply> => {
    const session = connect(program.url);
    others.push(session);
    return get(session, "/");
  };
  const before = await requestEveryWorker({ workers: 2, send: open, pidOf: ({ pid }) => pid });
  const port = Number(new URL(program.url).port);
  const floods = Promise.all(Array.from({ length: 4 }, () => resetRapidly(port)));
  const during = await Promise.all(others.map((session) => get(session, "/slow")));
  expect(during.map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
  for (const sent of await floods) expect(sent).toBeGreaterThan(RESET_BURST);
  expect(await Promise.all(others.map((session) => get(session, "/")))).toEqual(before);
  for (const session of others) session.destroy();
});
