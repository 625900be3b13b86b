import { spawn } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { App, type Logger } from "@framework/core";
import { afterAll, expect, test } from "@jest/globals";
import { type SelfSigned, selfSigned } from "../harness/self-signed.ts";
import { eventually } from "../harness/test-server.ts";

const folder = mkdtempSync(join(tmpdir(), "certificates-"));
afterAll(() => rmSync(folder, { recursive: true }));
const certFile = join(folder, "tls.crt");
const keyFile = join(folder, "tls.key");

/** Replaces a file atomically, as certificate managers do. */
const replace = (file: string, text: string): void => {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
};
const put = ({ cert, key }: SelfSigned): void => {
  replace(certFile, cert);
  replace(keyFile, key);
};

/** Connects and returns the certificate of the server, base64-encoded. */
const fetchCertificate = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().raw.toString("base64"));
      socket.destroy();
    });
    socket.on("error", reject);
  });
const base64Of = ({ cert }: SelfSigned): string => cert.replaceAll(/-----[A-Z ]+-----|\n/g, "");

const send = (port: number, agent?: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = get(
      { port, host: "127.0.0.1", rejectUnauthorized: false, agent: agent ?? false },
      (reply) => {
        reply.resume();
        reply.on("end", () => resolve(reply.statusCode ?? 0));
        reply.on("error", reject);
      },
    );
    request.on("error", reject);
  });

test("renews the certificate under load without a failed request, and keeps the old one while the files are unusable", async () => {
  const lines: string[] = [];
  const note = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const log: Logger = { info: note("info"), warn: note("warn"), error: note("error") };
  const [first, second, third] = [selfSigned(), selfSigned(), selfSigned()];
  put(first);
  const app = new App();
  app.get("/", () => "ok");
  const tls = { certFile, keyFile, watchSecs: 0.02 };
  const running = await app.run({
    port: 0,
    exitOnError: false,
    argv: [],
    environment: {},
    logs: false,
    log,
    tls,
  });
  const { port } = running;
  const keptOpen = new Agent({ keepAlive: true, maxSockets: 1 });
  let isDone = false;
  const statuses: number[] = [];
  const load = [undefined, undefined, keptOpen].map(async (agent) => {
    while (!isDone) statuses.push(await send(port, agent));
  });
  try {
    const untilServed = async (expected: SelfSigned): Promise<void> => {
      let served = "";
      while (served !== base64Of(expected)) served = await fetchCertificate(port);
    };
    await untilServed(first);
    put(second);
    await untilServed(second);

    replace(certFile, third.cert); // does not match the key
    await eventually(() => lines.some((line) => line.startsWith("error:")), "the mismatch is logged");
    expect(await fetchCertificate(port)).toBe(base64Of(second));
    replace(keyFile, third.key);
    await untilServed(third);

    const beforeMissing = lines.length;
    rmSync(keyFile);
    await eventually(() => lines.length > beforeMissing, "the missing file is logged");
    expect(await fetchCertificate(port)).toBe(base64Of(third));
    const afterMissing = lines.length;
    symlinkSync(keyFile, keyFile); // a symbolic link to itself: stat fails
    await eventually(() => lines.length > afterMissing, "the unreadable file is logged");
    expect(await fetchCertificate(port)).toBe(base64Of(third));
    put(first);
    await untilServed(first);
    await eventually(() => statuses.length > 20, "requests were made");
  } finally {
    isDone = true;
    await Promise.all(load);
    keptOpen.destroy();
    await running.close();
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(new Set(lines)).toEqual(
    new Set([
      "info: the certificate was renewed",
      "error: the new certificate cannot be used; the previous one stays in use",
    ]),
  );
});

test("rejects unreadable files, and cert combined with certFile, at startup", async () => {
  const options = { port: 0, exitOnError: false, argv: [], environment: {} };
  const missing = { certFile: join(folder, "none.crt"), keyFile: join(folder, "none.key") };
  await expect(new App().run({ ...options, tls: missing })).rejects.toThrow(
    /TlsConfig\.certFile cannot be read.*[^]*TlsConfig\.keyFile/,
  );
  const { cert, key } = selfSigned();
  put({ cert, key });
  await expect(new App().run({ ...options, tls: { cert, certFile, keyFile } })).rejects.toThrow(
    "TlsConfig.cert and certFile cannot be combined",
  );
});

test("serves a certificate that changed during startup", async () => {
  const [first, second] = [selfSigned(), selfSigned()];
  put(first);
  const app = new App().onEvent("startup", () => put(second));
  const running = await app.run({
    port: 0,
    exitOnError: false,
    argv: [],
    environment: {},
    log: { info() {}, warn() {}, error() {} },
    tls: { certFile, keyFile, watchSecs: 0 },
  });
  expect(await fetchCertificate(running.port)).toBe(base64Of(second));
  await running.close();
});

/** A service whose workers wait in a startup handler while the file `HELD` exists. */
const heldProgram = `
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { App } from ${JSON.stringify(new URL("../../../core/src/index.ts", import.meta.url).href)};
const { CERT_FILE: certFile, KEY_FILE: keyFile, HELD: held, WORKERS: workers } = process.env;
const app = new App().onEvent("startup", async () => {
  console.error("held.");
  while (existsSync(held)) await delay(20);
});
await app.run({ port: 0, workers: Number(workers), tls: { certFile, keyFile, watchSecs: 0 } });
`;

test.each([1, 2])(
  "a SIGHUP during the startup of %d workers does not end the service, which then serves the new certificate",
  async (workers) => {
    const [first, second] = [selfSigned(), selfSigned()];
    const [file, held] = [join(folder, "held.ts"), join(folder, "held")];
    put(first);
    writeFileSync(file, heldProgram);
    writeFileSync(held, "");
    const program = spawn(process.execPath, ["--conditions=@framework/source", file], {
      env: {
        ...process.env,
        NODE_OPTIONS: "",
        CERT_FILE: certFile,
        KEY_FILE: keyFile,
        HELD: held,
        WORKERS: `${workers}`,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      program[name].setEncoding("utf8").on("data", (text: string) => (output[name] += text));
    const exit = new Promise((resolve) => program.once("exit", (code, signal) => resolve(code ?? signal)));
    try {
      await eventually(() => output.stderr.split("held.").length > workers, "the workers start");
      put(second);
      program.kill("SIGHUP");
      rmSync(held);
      await eventually(
        () => output.stdout.includes("listening") || program.exitCode !== null || program.signalCode !== null,
        "the service listens",
      );
      const { port } = new URL(/"url":"([^"]+)"/.exec(output.stdout)?.[1] ?? `ended: ${output.stderr}`);
      for (let visit = 0; visit < 10; visit++)
        expect(await fetchCertificate(Number(port))).toBe(base64Of(second));
    } finally {
      program.kill("SIGTERM");
    }
    expect(await exit).toBe(0);
  },
);
