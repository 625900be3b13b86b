import { openDatabase } from "@framework/database";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createKernel, type WorkQueue } from "../../feature.ts";

const quiet = { info() {}, warn() {}, error() {} };

/** Runs a test with a queue whose handler returns `resultOf(payload)`. */
const withQueue = async (
  run: (queue: WorkQueue<unknown>) => Promise<void>,
  resultOf: (payload: unknown) => unknown = () => undefined,
): Promise<void> => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const kernel = createKernel(db, { log: quiet });
  const queue = kernel.queue<unknown>({
    name: "mail",
    keepSecs: 60,
    retry: { attempts: 3 },
    handle: ({ payload }) => resultOf(payload),
  });
  await kernel.start();
  try {
    await run(queue);
  } finally {
    await kernel.stop();
    await db.close();
  }
};

const cycle: { self?: unknown } = {};
cycle.self = cycle;

const sparse = [1];
sparse[2] = 3;

const lossy: Readonly<Record<string, readonly [value: unknown, problem: string]>> = {
  "a bigint": [{ id: 7n }, "$.id is a bigint"],
  "a Map": [{ tags: new Map([["a", 1]]) }, "$.tags is a Map, which JSON writes as {}"],
  "a Set": [{ tags: [new Set(["a"])] }, "$.tags[0] is a Set, which JSON writes as {}"],
  NaN: [{ total: Number.NaN }, "$.total is NaN, which JSON writes as null"],
  infinity: [[1, Infinity], "$[1] is Infinity, which JSON writes as null"],
  "an invalid date": [{ at: new Date(Number.NaN) }, "$.at is an invalid date, which JSON writes as null"],
  "undefined in an array": [{ ids: [1, undefined] }, "$.ids[1] is undefined, which JSON writes as null"],
  "a hole in an array": [sparse, "$[1] is undefined"],
  "a function": [{ each: { call: () => {} } }, "$.each.call is a function"],
  "a symbol": [{ kind: Symbol("a") }, "$.kind is a symbol"],
  "an error": [{ cause: new Error("a") }, "$.cause is an error, which JSON writes without its message"],
  "a promise": [{ user: Promise.resolve(1) }, "$.user is a promise"],
  bytes: [{ file: new Uint8Array(2) }, "$.file is a Uint8Array"],
  "an object of a web API": [
    { reply: new Headers({ a: "b" }) },
    "$.reply is a Headers, which JSON writes as {}",
  ],
  "a cycle": [cycle, "$.self is a cycle back to $"],
  "a function at the root": [() => {}, "$ is a function"],
};

test.each(Object.entries(lossy))(
  "%s in a payload is refused with its path, and nothing is added",
  (_name, [payload, problem]) =>
    withQueue(async (queue) => {
      const adding = queue.enqueue([{ payload: "good" }, { payload }]);
      const message = expect.stringMatching(
        RegExp(
          `^durable: payload of "mail" (loses a value|cannot be written as JSON): ${RegExp.escape(problem)}`,
        ),
      ) as unknown;
      await expect(adding).rejects.toMatchObject({ code: "DURABLE_BAD_WORK", message });
      expect((await queue.list()).items).toEqual([]);
    }),
);

test("values that JSON can represent are stored: dates as text, undefined members omitted", () =>
  withQueue(
    async (queue) => {
      const at = new Date(0);
      const [added] = await queue.enqueue([{ payload: { at, none: undefined, list: [null, -1.5, "é"] } }]);
      const stored = { at: at.toISOString(), list: [null, -1.5, "é"] };
      await waitFor(async () => (await queue.get(added?.id ?? ""))?.state === "done");
      expect(await queue.get(added?.id ?? "")).toMatchObject({
        payload: stored,
        result: { payload: stored },
      });
    },
    (payload) => ({ payload }),
  ));

test("an item whose result JSON cannot represent is parked with the path in its error, without another attempt", () =>
  withQueue(
    async (queue) => {
      const [added] = await queue.enqueue({ payload: 1 });
      await waitFor(async () => (await queue.get(added?.id ?? ""))?.state === "parked");
      const item = await queue.get(added?.id ?? "");
      expect(item?.attempts).toBe(1);
      expect(item?.error?.message).toContain('the result of "mail" loses a value: $.tags is a Set');
    },
    () => ({ tags: new Set(["a"]) }),
  ));

test("a payload whose toJSON throws an error without a message text is refused", () =>
  withQueue(async (queue) => {
    const toJSON = (): never => {
      throw Object.assign(new Error("no"), { message: Object.create(null) as object });
    };
    await expect(queue.enqueue({ payload: { toJSON } })).rejects.toMatchObject({
      code: "DURABLE_BAD_WORK",
      message: expect.stringContaining("cannot be written as JSON: {}"),
    });
  }));
