import { UnsupportedMediaTypeError } from "../errors/http-errors.ts";
import { isFormType, isMultipartType, type MediaType } from "../http/media-type.ts";
import { ByteCollector } from "./byte-collector.ts";
import type { Form } from "./form-data.ts";
import { multipartParser } from "./multipart.ts";
import { parseForm } from "./parse-form.ts";
import { type BodySource, requireLength } from "./read-body.ts";
import { parseUrlencodedForm } from "./urlencoded-form.ts";

/** The beginning of a body. */
interface Beginning {
  readonly bytes: Uint8Array;
  /** Whether the body ends within it. */
  readonly isWhole: boolean;
}

/** The beginning of a body, and a source of the whole body for later readers. */
interface PeekedBody {
  readonly beginning: Promise<Beginning>;
  readonly source: BodySource;
}

/**
 * Reads the beginning of a body, and keeps it for a later reader, which gets the whole body.
 *
 * @param bytes maximum length of the beginning
 * @param limit maximum bytes of the whole body. @throws PayloadTooLargeError when its declared or buffered length exceeds it
 */
export const peekBody = (source: BodySource, bytes: number, limit: number): PeekedBody => {
  requireLength(source, limit);
  const { buffered, bodyLength, isDecoded = false } = source;
  if (buffered !== null) {
    const isWhole = buffered.byteLength <= bytes;
    return { beginning: Promise.resolve({ bytes: buffered.subarray(0, bytes), isWhole }), source };
  }
  const chunks: Uint8Array[] = [];
  const rest = source.chunks()[Symbol.asyncIterator]();
  const reading = readBeginning(rest, chunks, bytes);
  return {
    beginning: reading,
    source: { bodyLength, isDecoded, buffered: null, chunks: () => resumeChunks(reading, chunks, rest) },
  };
};

const readBeginning = async (
  rest: AsyncIterator<Uint8Array>,
  chunks: Uint8Array[],
  bytes: number,
): Promise<Beginning> => {
  const read = new ByteCollector();
  while (read.length <= bytes) {
    const { done, value } = await rest.next();
    if (done === true) return { bytes: read.join(), isWhole: true };
    chunks.push(value);
    read.append(value);
  }
  return { bytes: read.join().subarray(0, bytes), isWhole: false };
};

async function* resumeChunks(
  reading: Promise<Beginning>,
  chunks: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    const { isWhole } = await reading;
    yield* chunks;
    while (!isWhole) {
      const { done, value } = await rest.next();
      if (done === true) return;
      yield value;
    }
  } finally {
    await rest.return?.();
  }
}

/**
 * Returns the fields of a form that end within its beginning.
 *
 * @throws the errors of `parseForm` that the beginning causes
 */
export const fieldsOf = (type: MediaType | null, { bytes, isWhole }: Beginning): Form => {
  if (isWhole) return parseForm(type, bytes).form;
  if (isMultipartType(type)) {
    const parser = multipartParser(type);
    parser.push(bytes);
    return parser.form;
  }
  if (isFormType(type))
    return parseUrlencodedForm(bytes.subarray(0, Math.max(0, bytes.lastIndexOf(AMPERSAND))), type);
  throw new UnsupportedMediaTypeError(
    "The body must be application/x-www-form-urlencoded or multipart/form-data",
  );
};

const AMPERSAND = 0x26;
