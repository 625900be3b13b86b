import { expect, test } from "@jest/globals";
import { App } from "../index.ts";
import type { Logger } from "../log/logger.ts";
import { consoleLogger } from "../log/console-logger.ts";

/** Throws the value in a handler, and returns the status of the reply. */
const statusOf = async (thrown: unknown, log: Logger) => {
  const app = new App();
  app.get("/x", () => {
    throw thrown;
  });
  app.get("/later", async () => {
    throw thrown;
  });
  await app.start({ env: "development", log });
  const ask = async (path: string) => (await app.fetch(new Request(`http://host.test${path}`))).status;
  const statuses = [await ask("/x"), await ask("/later")];
  await app.stop();
  return statuses;
};

test("an error whose message is not text is a 500 with a line in the log", async () => {
  for (const message of [{ code: 7 }, Object.create(null), Symbol("s")]) {
    const lines: string[] = [];
    const log = consoleLogger({ format: "text", write: (line) => void lines.push(line) });
    expect(await statusOf(Object.assign(new Error("x"), { message }), log)).toEqual([500, 500]);
    expect(lines.filter((line) => line.includes("GET /x failed: "))).toHaveLength(1);
  }
});

test("with debug the reply shows a message and name that are not text", async () => {
  const app = new App();
  app.get("/x", () => {
    throw Object.assign(new Error("x"), { message: Object.create(null), name: { kind: "odd" } });
  });
  await app.start({ env: "development", debug: true, log: { info() {}, warn() {}, error() {} } });
  const reply = await app.fetch(new Request("http://host.test/x"));
  expect(await reply.json()).toMatchObject({ detail: "{}", exception: '{"kind":"odd"}' });
  await app.stop();
});

test("a logger that throws does not take the reply of its request", async () => {
  const fail = () => {
    throw new Error("disk full");
  };
  const written: string[] = [];
  const { error } = console;
  console.error = (...parts: unknown[]) => void written.push(parts.join(" "));
  try {
    expect(await statusOf(new Error("bug"), { info: fail, warn: fail, error: fail })).toEqual([500, 500]);
  } finally {
    console.error = error;
  }
  expect(written.join()).toMatch(/the logger failed.*disk full.*GET \/x failed: bug/);
});
