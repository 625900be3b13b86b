import { expect, test } from "@jest/globals";
import { App, type HttpRequest, Response } from "../index.ts";

const readers: Readonly<Record<string, (request: HttpRequest) => unknown>> = {
  body: (request) => request.body(),
  text: (request) => request.text(),
  json: (request) => request.json(),
  form: (request) => request.form(),
  files: (request) => request.files(),
  peekForm: (request) => request.peekForm(3),
  bodyValue: (request) => request.bodyValue(),
};

/** Bodies that at least one of the readers rejects. */
const bodies: readonly (readonly [type: string, body: () => string | ReadableStream<Uint8Array>])[] = [
  ["application/json", () => "{bad"],
  ["application/json; charset=latin1", () => "{}"],
  ["not a type", () => "{}"],
  ["multipart/form-data", () => "no boundary"],
  ["multipart/form-data; boundary=b", () => "--b\r\nbad\r\n\r\n"],
  ["application/json", () => "x".repeat(2000)],
  [
    "application/x-www-form-urlencoded",
    () =>
      new ReadableStream({
        pull(controller) {
          controller.error(new Error("left"));
        },
      }),
  ],
];

test("a dropped promise of a body reader causes no unhandled rejection, and an awaited one rejects", async () => {
  const unhandled: unknown[] = [];
  const record = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", record);
  try {
    let failures = 0;
    const app = new App();
    app.post("/", { maxBodyBytes: 1000 }, async (request) => {
      for (const read of Object.values(readers)) {
        try {
          void read(request); // dropped
        } catch {
          // `bodyValue` may throw at once, which is the handler's own error
        }
        await Promise.resolve()
          .then(() => read(request))
          .catch(() => failures++);
      }
      return new Response("who are you?", { status: 401 });
    });
    for (const [type, body] of bodies) {
      const before = failures;
      const headers = { "content-type": type };
      const init: RequestInit = { method: "POST", headers, body: body(), duplex: "half" };
      expect((await app.fetch(new Request("http://x.test/", init))).status).toBe(401);
      expect(failures).toBeGreaterThan(before);
    }
    await new Promise((resolve) => setImmediate(resolve)); // Node reports unhandled rejections at the end of a turn
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", record);
  }
});

test("a dropped stream of a body that another reader awaits causes no unhandled rejection when the client disconnects", async () => {
  const unhandled: unknown[] = [];
  const record = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", record);
  try {
    const app = new App();
    app.post("/", (request) => {
      void request.text();
      request.stream();
      return "ok";
    });
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error("left"));
      },
    });
    const request = new Request("http://x.test/", { method: "POST", body, duplex: "half" } as RequestInit);
    expect((await app.fetch(request)).status).toBe(200);
    await new Promise((resolve) => setImmediate(resolve)); // Node reports unhandled rejections at the end of a turn
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", record);
  }
});
