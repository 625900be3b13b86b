import { createRequire } from "node:module";
import type { Writable } from "node:stream";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { MAX_WHOLE_BYTES, wholeFrame } from "./whole-frame.ts";

/** The receiver of `ws`, which its types omit. */
const { Receiver } = createRequire(import.meta.url)("ws") as {
  readonly Receiver: new (options: { readonly isServer: boolean }) => Writable;
};

/** Parses bytes with `ws`. */
const read = (frame: Buffer): readonly unknown[] => {
  const messages: unknown[] = [];
  const receiver = new Receiver({ isServer: false });
  receiver.on("message", (data: Buffer, binary: boolean) => messages.push([data.toString("hex"), binary]));
  receiver.write(frame);
  return messages;
};

test("a frame decodes to its input, for text and bytes of any length", () => {
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 140 }),
    fc.constantFrom(125, 126, 127, MAX_WHOLE_BYTES).map((length) => new Uint8Array(length).fill(7)),
    fc.string({ unit: "grapheme", maxLength: 200 }),
  );
  fc.assert(
    fc.property(payload, (data) => {
      const bytes = Buffer.from(data as string);
      expect(read(wholeFrame(data, bytes.byteLength, typeof data !== "string"))).toEqual([
        [bytes.toString("hex"), typeof data !== "string"],
      ]);
    }),
  );
});
