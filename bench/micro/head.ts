import { LimitsConfig } from "@framework/core";
import { toText } from "../client/call.ts";
import { workloads } from "../workloads/workloads.ts";
import { emptyFastHead, CachedHead, readFastHead } from "../router/core-internals.ts";
import { sameBytes } from "./inputs.ts";
import { type Case, defineCase, type Suite } from "./measure.ts";

const limits = LimitsConfig.of();
const head = emptyFastHead();

const fieldsOf = (bytes: Buffer): CachedHead => {
  if (readFastHead(bytes, 0, limits, head) < 0) throw new Error("the head was rejected");
  return new CachedHead(bytes, head, "");
};

/** Parses without checks, which no server may do: the minimum cost of reading all fields. */
const naive = (bytes: Buffer): object => {
  const text = bytes.toString("latin1");
  const [line = "", ...lines] = text.slice(0, text.indexOf("\r\n\r\n")).split("\r\n");
  const [method, target] = line.split(" ");
  const headers: Record<string, string> = {};
  for (const field of lines) {
    const colon = field.indexOf(":");
    headers[field.slice(0, colon).toLowerCase()] = field.slice(colon + 1).trim();
  }
  return { method, target, headers };
};

const requestOf = (name: string): string => {
  const workload = workloads.find((each) => each.name === name);
  return workload === undefined ? "" : toText(workload.request);
};

const headCase = (name: string, text: string): Case =>
  defineCase({
    name,
    inputs: sameBytes(text),
    implementations: {
      "naive, unchecked": naive,
      "ours, checked": (bytes) => readFastHead(bytes, 0, limits, head),
      "ours, one field read": (bytes) => fieldsOf(bytes).get("accept"),
      "ours, all fields read": (bytes) => fieldsOf(bytes).toList(),
    },
  });

/** Reading the head of a request. Node's parser is native and not public; `bench:instructions` includes it in raw. */
export const requestHead: Suite = {
  title: "Request head",
  reference: "naive, unchecked",
  cases: [headCase("3 fields", requestOf("json")), headCase("14 fields", requestOf("headers"))],
};
