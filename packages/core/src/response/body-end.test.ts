import { expect, test } from "@jest/globals";
import { type BodyEnd, onBodyEnd } from "./body-end.ts";
import { toBodyStream } from "./byte-stream.ts";
import { payloadBytes, toReadableStream } from "./readable-stream.ts";

const recordEnds = (source: AsyncIterable<string> | Iterable<string>) => {
  const ends: BodyEnd[] = [];
  return { ends, body: onBodyEnd(toBodyStream(source), (end) => ends.push(end)) };
};

test("reports the end of a body once and passes on every chunk", async () => {
  const { ends, body } = recordEnds(["a", "b"]);
  expect(await payloadBytes(body)).toEqual(new TextEncoder().encode("ab"));
  await body.cancel();
  expect(ends).toEqual([{ how: "complete" }]);
});

test("keeps the known length of a body", () => {
  const body = onBodyEnd(toBodyStream(new Blob(["abc"])), () => {});
  expect(body.length).toBe(3);
});

test("reports the error of a failed body", async () => {
  const error = new Error("broken");
  const { ends, body } = recordEnds(
    (async function* () {
      yield "a";
      throw error;
    })(),
  );
  await expect(payloadBytes(body)).rejects.toBe(error);
  expect(ends).toEqual([{ how: "failed", error }]);
});

test("reports a body that is cancelled before its first chunk, and frees the source", async () => {
  const source = (async function* () {
    yield "a";
  })();
  const { ends, body } = recordEnds(source);
  await toReadableStream(body).cancel();
  expect(ends).toEqual([{ how: "cancelled" }]);
  expect(await source.next()).toMatchObject({ done: true });
});

test("reports a body that is cancelled while a chunk is awaited", async () => {
  const stuck = (async function* () {
    await new Promise(() => {});
    yield "never";
  })();
  const { ends, body } = recordEnds(stuck);
  const reader = toReadableStream(body).getReader();
  const pending = reader.read();
  await reader.cancel();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(ends).toEqual([{ how: "cancelled" }]);
});
