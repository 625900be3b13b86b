import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { storedSnappyCodec } from "../codecs.test-kit.ts";
import { withSnappyFrames } from "./snappy-frames.ts";

const codec = withSnappyFrames(storedSnappyCodec);

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** Compresses blocks like the Java client. */
const frame = async (blocks: readonly Uint8Array[]): Promise<Buffer> => {
  const parts = [Buffer.from("\u0082SNAPPY\0", "latin1"), uint32(1), uint32(1)];
  for (const block of blocks) {
    const bytes = await storedSnappyCodec.compress(block);
    parts.push(uint32(bytes.length), Buffer.from(bytes));
  }
  return Buffer.concat(parts);
};

test("the codec decompresses frames of the Java client, and blocks without frames", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { minLength: 1 }),
      async (blocks) => {
        const whole = Buffer.concat(blocks);
        expect(Buffer.from(await codec.decompress(await frame(blocks)))).toEqual(whole);
        expect(Buffer.from(await codec.decompress(await codec.compress(whole)))).toEqual(whole);
      },
    ),
  );
});

test("a frame that is longer than its batch is rejected", async () => {
  const whole = await frame([Buffer.from("a text that is cut")]);
  await expect(async () => await codec.decompress(whole.subarray(0, -1))).rejects.toThrow(
    "longer than its batch",
  );
});
