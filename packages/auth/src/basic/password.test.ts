import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { scryptSync } from "node:crypto";
import { expect, test } from "@jest/globals";
import { hashPassword, passwordProblem, verifyPassword } from "../index.ts";
import { createWorkQueue } from "./password-queue.ts";

const cheap = { logN: 1, blockSize: 1, parallelization: 1 };

test("a hash is a PHC string of scrypt at the cost that OWASP recommends", async () => {
  const one = await hashPassword("secret");
  const form = /^\$scrypt\$ln=15,r=8,p=3\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;
  const [, salt = "", hash] = form.exec(one) ?? [];
  const expected = scryptSync("secret", Buffer.from(salt, "base64"), 32, {
    N: 2 ** 15,
    r: 8,
    p: 3,
    maxmem: 2 ** 26,
  });
  expect(hash).toBe(expected.toString("base64").replace("=", ""));
  expect(await verifyPassword("secret", one)).toBe(true);
});

test("two hashes of the same password have different salts, and verify no other password", async () => {
  const [one, two] = await Promise.all([hashPassword("secret", cheap), hashPassword("secret", cheap)]);
  const [salt, other] = [one, two].map((hash) => hash.split("$")[3]);
  expect([salt?.length, salt === other]).toEqual([22, false]);
  expect([await verifyPassword("secret", two), await verifyPassword("Secret", one)]).toEqual([true, false]);
});

test.each(["", "secret", "pässwörd", "\u{1f600}", " x ", "x".repeat(1024)])(
  "the hash of %j verifies no other password",
  async (password) => {
    const hash = await hashPassword(password, cheap);
    expect(await verifyPassword(password, hash)).toBe(true);
    for (const other of [`${password} `, `${password}\0`, password.slice(0, -1) || "x"])
      expect(await verifyPassword(other, hash)).toBe(false);
  },
);

test("Unicode composition does not change a password", async () => {
  expect(await verifyPassword("e\u0301", await hashPassword("\u00e9", cheap))).toBe(true);
});

test("a hash of another library, with another cost, verifies", async () => {
  const external =
    "$scrypt$ln=4,r=2,p=2$c2FsdHNhbHRzYWx0c2FsdA$" +
    scryptSync("secret", "saltsaltsaltsalt", 32, { N: 16, r: 2, p: 2 }).toString("base64").replace("=", "");
  expect([await verifyPassword("secret", external), await verifyPassword("x", external)]).toEqual([
    true,
    false,
  ]);
});

test("without a hash no password verifies, and an overlong password never does", async () => {
  for (const hash of [null, undefined])
    for (const password of ["", "secret", "x".repeat(5000)])
      expect(await verifyPassword(password, hash, cheap)).toBe(false);
  const hash = await hashPassword("", cheap);
  expect(await verifyPassword("\0", hash)).toBe(false);
  expect(await verifyPassword("x".repeat(1025), hash)).toBe(false);
  for (const password of ["x".repeat(1025), "a\0", "\ud800", undefined as never, 7 as never]) {
    const refusal = {
      status: 422,
      code: "AUTH_BAD_PASSWORD",
      detail: `The password ${passwordProblem(password)}`,
    };
    await expect(hashPassword(password, cheap)).rejects.toMatchObject(refusal);
    expect(await verifyPassword(password, hash, cheap)).toBe(false);
  }
  expect(passwordProblem("correct horse")).toBeNull();
});

test.each([
  "",
  "secret",
  "$2b$10$abcdefghijklmnopqrstuv",
  "$scrypt$ln=15,r=8,p=1$$",
  "$scrypt$ln=30,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$c2FsdHNhbHRzYWx0c2FsdA",
  "$scrypt$ln=20,r=32,p=1$c2FsdHNhbHRzYWx0c2FsdA$c2FsdHNhbHRzYWx0c2FsdA",
  "$scrypt$ln=0,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$c2FsdHNhbHRzYWx0c2FsdA",
  "$scrypt$ln=16,r=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$c2FsdHNhbHRzYWx0c2FsdA",
  "$scrypt$ln=1,r=1,p=99$c2FsdHNhbHRzYWx0c2FsdA$c2FsdHNhbHRzYWx0c2FsdA",
  "$scrypt$ln=1,r=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$c2FsdHNhbHRzYWx0c2FsdA\n",
  "$scrypt$ln=1,r=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$",
])("%j is refused as a hash", async (hash) => {
  await expect(verifyPassword("secret", hash)).rejects.toMatchObject({ code: "AUTH_BAD_HASH" });
});

test.each([
  { logN: 21 },
  { logN: 1.5 },
  { blockSize: 0 },
  { parallelization: 17 },
  { logN: 20, blockSize: 8 },
  { logN: 16, blockSize: 1 },
])("a cost of %j is refused", async (cost) => {
  await expect(hashPassword("secret", cost)).rejects.toMatchObject({ code: "AUTH_BAD_HASH" });
  await expect(verifyPassword("secret", null, cost)).rejects.toMatchObject({ code: "AUTH_BAD_HASH" });
});

test("an undefined cost parameter has its default", async () => {
  const cost = { ...cheap, parallelization: undefined as never };
  const hash = await hashPassword("secret", cost);
  expect(hash).toMatch(/^\$scrypt\$ln=1,r=1,p=3\$/);
  expect([await verifyPassword("secret", hash, cost), await verifyPassword("secret", null, cost)]).toEqual([
    true,
    false,
  ]);
});

test("work runs in order of arrival, and is refused with 503 when the queue is full", async () => {
  const queue = createWorkQueue(2, 3);
  const order: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  let running = 0;
  let maxRunning = 0;
  const works = gates.map(({ promise }, index) =>
    queue.run(async () => {
      maxRunning = Math.max(maxRunning, ++running);
      order.push(index);
      await promise;
      running--;
      if (index === 1) throw new Error("failed");
    }),
  );
  const settled = Promise.allSettled(works);
  await expect(queue.run(async () => "sixth")).rejects.toMatchObject({ status: 503, code: "AUTH_BUSY" });
  for (const { resolve } of gates) resolve();
  expect((await settled).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
    "fulfilled",
  ]);
  expect([order, maxRunning]).toEqual([[0, 1, 2, 3, 4], 2]);
  expect(await queue.run(async () => "later")).toBe("later");
});

test("passwords are hashed and verified if scrypt passes undefined for no error, as Bun does", async () => {
  const program = `
import { createRequire, syncBuiltinESMExports } from "node:module";
const crypto = createRequire(import.meta.url)("node:crypto");
const { scrypt } = crypto;
crypto.scrypt = (...args) => scrypt(...args.slice(0, -1), (error, key) => args.at(-1)(error ?? undefined, key));
syncBuiltinESMExports();
const { hashPassword, verifyPassword } = await import(${JSON.stringify(new URL("../index.ts", import.meta.url).href)});
const stored = await hashPassword("secret", { logN: 4 });
console.log(await verifyPassword("secret", stored), await verifyPassword("other", stored));`;
  const args = ["--conditions=@framework/source", "--input-type=module", "-e", program];
  const env = { ...process.env, NODE_OPTIONS: "" };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: import.meta.dirname });
  expect(stdout).toBe("true false\n");
});
