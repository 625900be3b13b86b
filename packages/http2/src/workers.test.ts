import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type ClientHttp2Session } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledProgram } from "@framework/bundled-sources";
import { type SelfSigned, selfSigned } from "@framework/conformance";
import { startProgram } from "@framework/testing";
import { expect, test } from "@jest/globals";

interface Answer {
  readonly pid: number;
  readonly http?: string;
}

const ask = (session: ClientHttp2Session, path: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const stream = session.request({ ":path": path });
    let text = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    stream.on("error", reject).on("end", () => resolve(JSON.parse(text) as Answer));
  });

const rawOf = ({ cert }: SelfSigned): string => cert.replaceAll(/-----[A-Z ]+-----|\n/g, "");

/** The certificate and the answer that a new connection gets. */
const visit = async (url: string): Promise<Answer & { readonly raw: string }> => {
  const session = connect(url, { rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => {
    session.once("connect", () => resolve());
    session.once("error", reject);
  });
  const { raw } = (session.socket as import("node:tls").TLSSocket).getPeerCertificate();
  const answer = await ask(session, "/");
  session.close();
  return { ...answer, raw: raw.toString("base64") };
};

test("several workers renew the certificate on SIGHUP without a failed request, and finish requests in a drain", async () => {
  const folder = mkdtempSync(join(tmpdir(), "http2-"));
  const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const put = ({ cert, key }: SelfSigned): void => {
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
  };
  const [first, second] = [selfSigned(), selfSigned()];
  put(first);
  await using program = await startProgram(
    bundledProgram(new URL("./workers.test-program.ts", import.meta.url)),
    {
      env: { CERT_FILE: certFile, KEY_FILE: keyFile, FRAMEWORK_ENV: "production" },
      conditions: ["@framework/source"],
      timeoutMs: 60_000,
      stopTimeoutMs: 30_000,
    },
  );
  const { url, pid } = program;
  const open = connect(url, { rejectUnauthorized: false });
  open.on("error", () => {});
  const before = await visit(url);
  expect([before.raw, before.http]).toEqual([rawOf(first), "2"]);

  put(second);
  process.kill(pid, "SIGHUP");
  const renewed = new Set<number>();
  for (let visits = 0; renewed.size < 2 && visits < 5000; visits++) {
    const [{ raw, pid: worker }] = await Promise.all([visit(url), ask(open, "/")]);
    if (raw === rawOf(second)) renewed.add(worker);
  }
  expect(renewed.size).toBe(2);

  const inFlight = Array.from({ length: 5 }, () => ask(open, "/slow"));
  await ask(open, "/");
  const exit = program.stop();
  const answers = await Promise.all(inFlight);
  expect(new Set(answers.map(({ pid: worker }) => worker)).size).toBe(1);
  expect(await exit).toEqual({ code: 0, signal: null });
  open.destroy();
  rmSync(folder, { recursive: true });
});
