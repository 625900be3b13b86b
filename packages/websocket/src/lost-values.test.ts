import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { collect, type Served, serve } from "./socket-app.test-kit.ts";

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;

/** Values in a message that JSON loses, and the error for each. */
const lost: readonly (readonly [name: string, value: unknown, problem: string])[] = [
  ["a promise", Promise.resolve(1), "loses a value: $.tags[0] is a promise"],
  ["a Set", new Set([1]), "loses a value: $.tags[0] is a Set"],
  ["a Map", new Map([[1, 2]]), "loses a value: $.tags[0] is a Map"],
  ["an Error", new Error("no"), "loses a value: $.tags[0] is an error"],
  ["a function", () => 1, "loses a value: $.tags[0] is a function"],
  ["a symbol", Symbol("s"), "loses a value: $.tags[0] is a symbol"],
  ["a RegExp", /x/, "loses a value: $.tags[0] is a RegExp"],
  ["bytes", new Uint8Array(2), "loses a value: $.tags[0] is a Uint8Array"],
];
const unwritable: typeof lost = [
  ["a bigint", 1n, "cannot be written as JSON: $.tags[0] is a bigint"],
  ["a cycle", cycle, "cannot be written as JSON: $.tags[0].self is a cycle"],
];

const service = async (env: "development" | "production", send: () => unknown) => {
  const lines: string[] = [];
  const record = (text: string): void => void lines.push(text);
  const errors: unknown[] = [];
  const s = await serve(
    (app) => {
      app.websocket("/direct", async (socket) => {
        await socket.sendJson(send()).catch((error: unknown) => void errors.push(error));
        await socket.sendText("end");
      });
      app.websocket("/room", async (socket) => {
        socket.join("a");
        await app
          .room("a")
          .sendJson(send())
          .catch((error: unknown) => void errors.push(error));
        await socket.sendText("end");
      });
    },
    { env, workers: 1, log: { info() {}, warn: record, error: record } },
  );
  return Object.assign(s, { lines, errors });
};

const received = async (s: Served, path: string): Promise<readonly string[]> => {
  const { texts } = collect(await s.open(path));
  await waitFor(() => texts.includes("end"));
  return texts.filter((text) => text !== "end");
};

const places = [
  ["/direct", "a message of /direct"],
  ["/room", "a message to a room"],
] as const;

test.each([...lost, ...unwritable])(
  "under debug, a message with %s is not sent, and the error has its path and the route or room",
  async (_name, value, problem) => {
    await using s = await service("development", () => ({ tags: [value] }));
    for (const [path, place] of places) {
      expect(await received(s, path)).toEqual([]);
      expect(s.errors.splice(0)).toEqual([
        expect.objectContaining({
          code: "WEBSOCKET_NO_JSON",
          message: expect.stringContaining(`${place} ${problem}`),
        }),
      ]);
    }
  },
);

test("in production a message that loses a value is sent, and logged once for each route and once for the rooms", async () => {
  for (const [_name, value, problem] of lost) {
    await using s = await service("production", () => ({ tags: [value] }));
    for (const [path, place] of places) {
      for (let count = 0; count < 3; count++)
        expect(await received(s, path)).toEqual([JSON.stringify({ tags: [value] })]);
      expect(s.lines.splice(0)).toEqual([expect.stringContaining(`${place} ${problem}`)]);
    }
    expect(s.errors).toEqual([]);
  }
});

test("a value that JSON cannot express is an error in production too", async () => {
  for (const [_name, value, problem] of unwritable) {
    await using s = await service("production", () => ({ tags: [value] }));
    for (const [path, place] of places) {
      expect(await received(s, path)).toEqual([]);
      expect(s.errors.splice(0)).toEqual([
        expect.objectContaining({
          code: "WEBSOCKET_NO_JSON",
          message: expect.stringContaining(`${place} ${problem}`),
        }),
      ]);
    }
  }
});

test.each([undefined, () => 1, Symbol("s")])(
  "a message that is %p itself is refused by sockets and rooms",
  async (value) => {
    await using s = await service("production", () => value);
    for (const [path] of places) {
      expect(await received(s, path)).toEqual([]);
      expect(s.errors.splice(0)).toEqual([expect.objectContaining({ code: "WEBSOCKET_NO_JSON" })]);
    }
  },
);

test("a value that JSON can express is sent without a warning", async () => {
  const value = { at: new Date(0), list: [1, null], none: undefined, own: { toJSON: () => 1 } };
  await using s = await service("development", () => value);
  for (const [path] of places) expect(await received(s, path)).toEqual([JSON.stringify(value)]);
  expect([s.lines, s.errors]).toEqual([[], []]);
});
