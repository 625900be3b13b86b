import type { HttpRequest } from "../../request/http-request.ts";
import { Response } from "../../response/response.ts";

const bodyOf = ({ body }: globalThis.Request): ReadableStream<Uint8Array> => {
  if (body === null) throw new Error("the request has no body");
  return body;
};

/** Ways to consume a stream of the body. */
const readers: Readonly<Record<string, (stream: ReadableStream<Uint8Array>) => unknown>> = {
  read: (stream) => stream.getReader().read(),
  closed: (stream) => stream.getReader().closed,
  "read and cancelled": (stream) => {
    const reader = stream.getReader();
    void reader.read();
    return reader.cancel();
  },
  iterated: (stream) => stream[Symbol.asyncIterator]().next(),
  values: (stream) => stream.values().next(),
  "read twice": (stream) => {
    const [one, other] = stream.tee();
    void one.getReader().read();
    return other.getReader().read();
  },
  "piped into": (stream) => stream.pipeTo(new WritableStream()),
  "piped through": (stream) =>
    stream
      .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
      .getReader()
      .read(),
};

const ofStream = (
  name: string,
  streamOf: (request: HttpRequest) => ReadableStream<Uint8Array>,
): [string, (request: HttpRequest) => unknown][] =>
  Object.entries(readers).map(([how, read]) => [`${name} ${how}`, (request) => read(streamOf(request))]);

/** Every way to read the body of a request; its promise rejects when the client disconnects. */
export const droppedCalls: Readonly<Record<string, (request: HttpRequest) => unknown>> = {
  body: (request) => request.body(),
  text: (request) => request.text(),
  json: (request) => request.json(),
  form: (request) => request.form(),
  files: (request) => request.files(),
  peekForm: (request) => request.peekForm(100_000),
  bodyValue: (request) => request.bodyValue(),
  "raw text": ({ raw }) => raw.text(),
  "raw json": ({ raw }) => raw.json(),
  "raw bytes": ({ raw }) => raw.bytes(),
  "raw arrayBuffer": ({ raw }) => raw.arrayBuffer(),
  "raw blob": ({ raw }) => raw.blob(),
  "raw formData": ({ raw }) => raw.formData(),
  "raw clone": ({ raw }) => {
    void raw.clone().text();
    return raw.clone().clone().json();
  },
  ...Object.fromEntries(ofStream("raw body", ({ raw }) => bodyOf(raw))),
  ...Object.fromEntries(ofStream("the body of a clone", ({ raw }) => bodyOf(raw.clone()))),
  ...Object.fromEntries(ofStream("stream", (request) => request.stream())),
  "a reply of the stream": (request) => new Response(request.stream()).text(),
  "a reply of the stream as a form": (request) => new Response(request.stream()).formData(),
};
