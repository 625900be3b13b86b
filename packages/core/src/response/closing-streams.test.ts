import { PassThrough } from "node:stream";
import { expect, test } from "@jest/globals";
import { type StreamSource, toBodyStream } from "./byte-stream.ts";
import { countingSource, iteratorOf } from "./counting-source.test-kit.ts";
import { payloadBytes } from "./readable-stream.ts";

test("return closes the source exactly once, between two chunks", async () => {
  const { counts, source } = countingSource(["a", "b"]);
  const iterator = iteratorOf(toBodyStream(source));
  await iterator.next();
  await Promise.all([iterator.return?.(), iterator.return?.()]);
  await iterator.return?.();
  expect(counts).toEqual({ pulls: 1, returns: 1 });
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
});

test("return closes the source while it is pending, and ends the pending next", async () => {
  const { counts, source } = countingSource(["a", "b"], 1);
  const iterator = iteratorOf(toBodyStream(source));
  await iterator.next();
  const pending = iterator.next();
  await iterator.return?.();
  expect(counts).toEqual({ pulls: 2, returns: 1 });
  expect(await pending).toEqual({ done: true, value: undefined });
});

test("return does not wait for a generator that never settles", async () => {
  const stuck = (async function* () {
    await new Promise(() => {});
    yield "never";
  })();
  const iterator = iteratorOf(toBodyStream(stuck));
  const pending = iterator.next();
  expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
  expect(await pending).toEqual({ done: true, value: undefined });
});

test("return after the end does not close the source", async () => {
  const { counts, source } = countingSource(["a"]);
  const iterator = iteratorOf(toBodyStream(source));
  while ((await iterator.next()).done !== true);
  await iterator.return?.();
  expect(counts.returns).toBe(0);
});

test("return rejects with the error of a source that fails to close", async () => {
  const source = (async function* () {
    try {
      yield "a";
    } finally {
      // oxlint-disable-next-line no-unsafe-finally -- the cleanup of the source fails
      throw new Error("cleanup failed");
    }
  })();
  const iterator = iteratorOf(toBodyStream(source));
  await iterator.next();
  await expect(iterator.return?.()).rejects.toThrow("cleanup failed");
});

test("cancel before the first chunk releases a generator, a web stream and a Node stream", async () => {
  const generator = (async function* () {
    yield "a";
  })();
  let cancels = 0;
  const web = new ReadableStream({ cancel: () => void cancels++ });
  const node = new PassThrough();
  for (const source of [generator, web, node] as StreamSource[]) {
    const body = toBodyStream(source);
    await body.cancel();
    await body.cancel();
    expect(await payloadBytes(body).catch((error: unknown) => error)).toMatchObject({
      code: "CORE_BODY_USED",
    });
  }
  expect(await generator.next()).toEqual({ done: true, value: undefined });
  expect([cancels, node.destroyed]).toEqual([1, true]);
});

test("return cancels a pending web stream and destroys a pending Node stream", async () => {
  let cancels = 0;
  const web = new ReadableStream({ cancel: () => void cancels++ });
  const node = new PassThrough();
  for (const source of [web, node]) {
    const iterator = iteratorOf(toBodyStream(source));
    const pending = iterator.next();
    await iterator.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
  }
  expect([cancels, node.destroyed]).toEqual([1, true]);
});
