import { Response as Reply } from "@framework/core";
import { greeting, orderText } from "../servers/workload.ts";
import { headEnd, parseJson, ReplyHeads, shortLength } from "../router/core-internals.ts";
import { freshValues, sameBytes } from "./inputs.ts";
import { type Case, defineCase, type Suite } from "./measure.ts";
import { fastifyJson } from "./peers.ts";

const heads = new ReplyHeads();
const ends = headEnd(new Date(0).toUTCString(), false);

const handWritten = (value: unknown): string => {
  const text = JSON.stringify(value);
  return (
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n` +
    `${ends}${text}`
  );
};

const ours = (value: unknown): string => {
  const reply = Reply.json(value);
  const { status, payload } = reply;
  if (typeof payload !== "string") throw new Error("the payload of a JSON reply must be a string");
  const head = heads.ordinary(status, reply.fields(), shortLength(payload), ends);
  if (head === null) throw new Error("a JSON reply must have an ordinary head");
  return head + payload;
};

const outCase = (name: string, text: string): Case =>
  defineCase({
    name,
    inputs: freshValues(() => JSON.parse(text) as unknown),
    implementations: {
      "by hand": handWritten,
      "JSON.stringify alone": (value) => JSON.stringify(value),
      ours,
      "web Response, not written": (value) => globalThis.Response.json(value),
    },
  });

const inCase = (name: string, text: string): Case =>
  defineCase({
    name,
    inputs: sameBytes(text),
    implementations: {
      "JSON.parse": (bytes) => JSON.parse(bytes.toString()) as unknown,
      "ours, checked": (bytes) => parseJson(bytes),
      "secure-json-parse (fastify)": (bytes) => fastifyJson.parse(bytes.toString()),
    },
  });

const list = JSON.stringify(Array.from({ length: 50 }, () => JSON.parse(orderText) as unknown));

/** From a value to the text of a complete reply. */
export const jsonOut: Suite = {
  title: "JSON out: value to the text of a reply",
  reference: "by hand",
  cases: [
    outCase("47 bytes", JSON.stringify(greeting())),
    outCase("200 bytes", orderText),
    outCase("10 KB", list),
  ],
};

/** From the bytes of a body to a value. */
export const jsonIn: Suite = {
  title: "JSON in: bytes to value",
  reference: "JSON.parse",
  cases: [inCase("200 bytes", orderText), inCase("10 KB", list)],
};
