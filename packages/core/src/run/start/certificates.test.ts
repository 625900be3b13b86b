import { chmodSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { virtualClock } from "../../runtime/virtual-clock.ts";
import type { TlsConfig } from "../settings/tls-config.ts";
import { CertificateWatch } from "./certificates.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "certificates-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Watches two files that contain no certificate: each reading of them is logged as a failure. */
const watched = () => {
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  for (const file of [certFile, keyFile]) writeFileSync(file, "-----BEGIN old");
  const tls: TlsConfig = {
    cert: "-----BEGIN old",
    key: "-----BEGIN old",
    ca: undefined,
    certFile,
    keyFile,
    caFile: undefined,
    watchSecs: 10,
    requireClientCert: false,
    minVersion: "1.2",
  };
  const logged: string[] = [];
  const problems: unknown[] = [];
  const record = (message: string, fields?: object): void => {
    logged.push(message);
    problems.push(...((fields as { readonly problems?: readonly unknown[] } | undefined)?.problems ?? []));
  };
  const clock = virtualClock();
  const watch = new CertificateWatch(tls, {
    transport: { renewTls: () => {} },
    log: { info: record, warn: record, error: record },
    clock,
  });
  return { watch, certFile, logged, problems, clock };
};

/** Repeats a change of a file until its change time differs: file systems have clocks of several milliseconds. */
const change = (file: string, apply: () => void): void => {
  const { ctimeMs } = statSync(file);
  const end = performance.now() + 10_000;
  do apply();
  while (statSync(file).ctimeMs === ctimeMs && performance.now() < end);
};

test("a file is reread when its content or its permissions have changed, even with the size and the modification time of before", async () => {
  const { watch, certFile, logged, clock } = watched();
  const { atime, mtime } = statSync(certFile);
  utimesSync(certFile, atime, mtime);
  await clock.advance(40_000);
  logged.length = 0;
  change(certFile, () => {
    writeFileSync(certFile, "-----BEGIN new");
    utimesSync(certFile, atime, mtime); // as a copy that keeps the times does
  });
  await clock.advance(10_000);
  expect(logged).toEqual([]); // it may be incomplete
  await clock.advance(10_000);
  expect(logged).toEqual(["the new certificate cannot be used; the previous one stays in use"]);
  change(certFile, () => chmodSync(certFile, 0o640));
  await clock.advance(20_000);
  expect(logged).toHaveLength(2);
  await clock.advance(60_000);
  expect(logged).toHaveLength(2);
  watch.stop();
  expect(clock.pending).toBe(0);
});

test("files that could not be read for a temporary reason are read again at the next check, and the reason is logged once", async () => {
  const { watch, certFile, problems, clock } = watched();
  const fs = process.getBuiltinModule("node:fs");
  const { readFileSync } = fs;
  fs.readFileSync = () => {
    throw new Error("too many open files");
  };
  try {
    change(certFile, () => writeFileSync(certFile, "-----BEGIN new"));
    await clock.advance(90_000);
  } finally {
    fs.readFileSync = readFileSync;
  }
  const file = expect.stringMatching(/cannot be read: too many open files$/);
  expect(problems).toEqual([file, file]); // of certificate and key
  await clock.advance(10_000);
  expect(problems.slice(2)).toEqual([expect.stringContaining("certificate and key cannot be used")]);
  await clock.advance(90_000);
  expect(problems).toHaveLength(3);
  watch.stop();
});
